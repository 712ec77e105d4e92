#!lua flags=no-writes
-- Reads dead letters. Arguments: after which id, how many. Returns fewer if they are large, but at least one.
-- uses: fields, sizes

local page, space, from = {}, page_size, ARGV[1] == '' and '-' or '(' .. ARGV[1]
while #page < tonumber(ARGV[2]) and space > 0 do
  local letter = redis.call('XRANGE', dead, from, '+', 'COUNT', 1)[1]
  if not letter then break end
  page[#page + 1], from, space = letter, '(' .. letter[1], space - size_of(letter[2])
end
return page
