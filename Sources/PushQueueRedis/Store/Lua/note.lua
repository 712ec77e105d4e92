#!lua flags=allow-oom
-- Stores why a worker takes nothing. Arguments: the worker, and the note, or nothing.

local name = 'note ' .. ARGV[1]
if ARGV[2] == '' then
  redis.call('HDEL', counts, name)
elseif redis.call('HGET', workers, ARGV[1]) then
  redis.call('HSET', counts, name, ARGV[2])
end
