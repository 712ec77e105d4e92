#!lua flags=allow-oom
-- Makes entries due that were put aside because their campaign was paused, in the order in which they were. Argument: how
-- many at most. Returns how many.
-- uses: fields, delay, progress, gate

local found = redis.call('ZRANGEBYSCORE', later, aside, '+inf', 'WITHSCORES', 'LIMIT', 0, tonumber(ARGV[1]))
for i = 1, #found, 2 do redis.call('ZADD', later, tonumber(found[i + 1]) - aside, found[i]) end
if #found > 0 then wake_up() end
return #found / 2
