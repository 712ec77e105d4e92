#!lua flags=allow-oom
-- The entries of keys that a worker has. Arguments: the worker, the limit of dead letters, then the keys. An entry
-- that was deleted by hand is forgotten. Returns how many of the keys it looked at until the reply was large
-- enough, and the entries.
-- uses: need_group, fields, progress, delay, letters, sizes, gate, found

need_group()
local found, looked, space = {}, 0, page_size
for i = 3, #ARGV do
  if space <= 0 then break end
  local key = ARGV[i]
  looked = looked + 1
  if #redis.call('XPENDING', stream, group, key, key, 1, ARGV[1]) > 0 then
    local entry = redis.call('XRANGE', stream, key, key)[1]
    if entry and size_of(entry[2]) > record_size then
      bury_huge(key, entry[2], ARGV[2])
    elseif entry then
      space = space - size_of(entry[2])
      found[#found + 1] = found_entry(key, entry[2], true)
    else
      redis.call('XACK', stream, group, key)
      redis.call('HDEL', progress, key)
    end
  end
end
return {looked, found}
