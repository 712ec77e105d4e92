#!lua flags=allow-oom
-- Permits tokens. Arguments: the tokens that are asked for, the nanoseconds of one, and the burst. Returns how
-- many are permitted, and the nanoseconds until it is worth asking again.
--
-- It is the rule of `QueueRate.permit`, in the same arithmetic.
-- uses: pace

local wanted, step, burst = math.max(0, tonumber(ARGV[1])), tonumber(ARGV[2]), tonumber(ARGV[3])
local window = step * burst
local ahead = ahead_of(redis.call('HGET', counts, 'permitted'), window)
local granted = math.min(wanted, math.floor((window - ahead) / step + 1e-6))
local after = ahead + granted * step
redis.call('HSET', counts, 'permitted', text_ahead(after))
if granted > 0 or wanted == 0 then return {granted, '0'} end
local enough = math.min(wanted, math.max(1, math.floor(burst / 4))) * step
return {0, string.format('%.0f', math.floor(math.max(1, after + enough - window)))}
