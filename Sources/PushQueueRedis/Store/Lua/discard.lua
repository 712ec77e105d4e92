#!lua flags=allow-oom
-- Removes dead letters. Arguments: their ids. Returns those that were there.

local gone = {}
for _, id in ipairs(ARGV) do
  if redis.call('XDEL', dead, id) == 1 then gone[#gone + 1] = id end
end
return gone
