#!lua flags=allow-oom
-- Makes entries due that were put aside because their campaign was paused, in the order in which they were. Arguments:
-- how many at most, and up to which time; nothing means those that were put aside until now. Returns how many, and that time:
-- what is put aside again meanwhile comes after it.
-- uses: fields, delay, progress, gate

local last = ARGV[2]
if last == '' then last = string.format('%.0f', aside + (tonumber(redis.call('HGET', counts, 'delays')) or 0)) end
local found = redis.call('ZRANGEBYSCORE', later, aside, last, 'WITHSCORES', 'LIMIT', 0, tonumber(ARGV[1]))
for i = 1, #found, 2 do redis.call('ZADD', later, tonumber(found[i + 1]) - aside, found[i]) end
if #found > 0 then wake_up() end
return {#found / 2, last}
