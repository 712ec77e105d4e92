#!lua flags=allow-oom
-- The keys that a worker has. Arguments: the worker, the first key, how many at most.
--
-- It reads the keys alone: a worker knows most of them, so their entries need not be sent again.
-- uses: need_group

need_group()
local keys = {}
for i, pending in ipairs(redis.call('XPENDING', stream, group, ARGV[2], '+', ARGV[3], ARGV[1])) do
  keys[i] = pending[1]
end
return keys
