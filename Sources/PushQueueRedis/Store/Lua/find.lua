#!lua flags=no-writes
-- Looks for a device token in a page of the queue. Arguments: which part (`later`, `new`, `pending`, `dead`), where to go on, how
-- many entries to look at, and the token in lower case. Returns where to go on, or nothing at the end, and for each entry that
-- has the token what a worker gets of it, its place, and when it is due, who has it, or why it is dead.
-- uses: clock, fields, ids, progress, delay, letters, sizes, gate, cursor, walk

local part, from, limit, token = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local found = {}
local function look(key, fields, p, place, detail)
  if not string.find(string.lower(field(fields, 'tokens') or ''), token, 1, true) then return end
  found[#found + 1] = {{key, with_id(fields, key), text_of(p), ''}, place, detail}
end
if part ~= 'dead' then return {walk(part, from, limit, look), found} end
local space = page_size
for _ = 1, limit do
  local letter = redis.call('XRANGE', dead, from == '' and '-' or '(' .. from, '+', 'COUNT', 1)[1]
  if not letter then return {'', found} end
  from, space = letter[1], space - size_of(letter[2])
  local p = parse('')
  p.settled = letter[2][4]
  look(letter[1], {unpack(letter[2], 5)}, p, 'dead', letter[2][2])
  if space <= 0 then break end
end
return {from, found}
