#!lua flags=allow-oom
-- Stores how many outcomes each list keeps. Argument: the number.

if redis.call('HGET', counts, 'max_outcomes') ~= ARGV[1] then
  redis.call('HSET', counts, 'max_outcomes', ARGV[1])
end
