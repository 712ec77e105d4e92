#!lua flags=allow-oom
-- Raises a worker's counter, moves due entries, and returns all counters. Arguments: the worker, how many due
-- entries to move at most, and the limit of dead letters. What a campaign has that went on comes back, if the process died that
-- let it go on.
--
-- A worker that has entries and no counter, because a failover lost it, gets one: else no other would take over.
-- uses: need_group, clock, fields, ids, delay, progress, letters, lane, move_due, gate, unpark

need_group()
local now = clock()
redis.call('HINCRBY', workers, ARGV[1], 1)
redis.call('HSET', beats, ARGV[1], string.format('%.0f', now))
unpark(1000)
move_due(now, tonumber(ARGV[2]), ARGV[3])
for _, consumer in ipairs(redis.call('XPENDING', stream, group)[4] or {}) do
  if not waits_with(consumer[1]) then redis.call('HSETNX', workers, consumer[1], 0) end
end
return redis.call('HGETALL', workers)
