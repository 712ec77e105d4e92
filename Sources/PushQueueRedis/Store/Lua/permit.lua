#!lua flags=allow-oom
-- Permits tokens. Arguments: the tokens that are asked for, the nanoseconds of one, and the burst. Returns how
-- many are permitted, and the nanoseconds until it is worth asking again.
--
-- It is the rule of `QueueRate`, in the same arithmetic. Nanoseconds since 1970 do not fit into Lua's numbers, so
-- the instant is kept as its second and the nanoseconds in it. An instant that lies further ahead than the burst
-- was stored by a clock that was ahead: it counts as that far ahead.

local wanted, step, burst = math.max(0, tonumber(ARGV[1])), tonumber(ARGV[2]), tonumber(ARGV[3])
local time, kept = redis.call('TIME'), redis.call('HGET', counts, 'permitted') or ''
local second, nanosecond = tonumber(time[1]), tonumber(time[2]) * 1000
local until_second, until_nanosecond = string.match(kept, '^(%d+) (%d+)$')
local window = step * burst
local ahead = ((until_second or 0) - second) * 1000000000 + (until_nanosecond or 0) - nanosecond
ahead = math.min(math.max(0, ahead), window)
local granted = math.min(wanted, math.floor((window - ahead) / step + 1e-6))
local after = ahead + granted * step
local rest = nanosecond + math.floor(after)
local seconds = math.floor(rest / 1000000000)
redis.call(
  'HSET', counts, 'permitted', string.format('%.0f %.0f', second + seconds, rest - seconds * 1000000000))
if granted > 0 or wanted == 0 then return {granted, '0'} end
local enough = math.min(wanted, math.max(1, math.floor(burst / 4))) * step
return {0, string.format('%.0f', math.floor(math.max(1, after + enough - window)))}
