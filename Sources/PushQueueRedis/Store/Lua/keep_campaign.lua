#!lua flags=allow-oom
-- Stores what is kept of a campaign. Arguments: its name, what must be stored of it or nothing, what is stored then,
-- the name of another campaign that is forgotten, or nothing, why nothing of it is taken, or nothing, its rate as the nanoseconds
-- of a token and the burst, or nothing, and what must be stored of the other one. Returns 1, or 0 if something else is stored. What
-- was put aside until now comes back, if the campaign is not paused any more.
-- uses: fields, delay, progress, gate, pace, rate

if (redis.call('HGET', campaigns, ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[4] ~= '' then
  if redis.call('HGET', campaigns, ARGV[4]) ~= ARGV[7] then return 0 end
  local kept = redis.call('HGETALL', campaigns)
  for i = 1, #kept, 2 do
    if string.match(kept[i], '^%S+') == ARGV[4] then redis.call('HDEL', campaigns, kept[i]) end
  end
end
redis.call('HSET', campaigns, ARGV[1], ARGV[3])
local before = redis.call('HGET', campaigns, ARGV[1] .. ' hold')
if before == 'paused' and ARGV[5] ~= 'paused' then
  local last = aside + (tonumber(redis.call('HGET', counts, 'delays')) or 0)
  redis.call('HSET', counts, 'unpark_to', string.format('%.0f', last))
end
local function set(word, value)
  if value == (redis.call('HGET', campaigns, ARGV[1] .. word) or '') then return end
  if value == '' then
    redis.call('HDEL', campaigns, ARGV[1] .. word)
  else
    redis.call('HSET', campaigns, ARGV[1] .. word, value)
  end
  wake_up()
  return true
end
set(' hold', ARGV[5])
if set(' rate', ARGV[6]) and rate_of(ARGV[1]) then
  -- Of what an earlier rate was charged with, no more than a burst counts.
  local rate = rate_of(ARGV[1])
  redis.call('HSET', campaigns, ARGV[1] .. ' charged', text_ahead(math.min(rate.ahead, rate.window)))
end
if ARGV[6] == '' and redis.call('HDEL', campaigns, ARGV[1] .. ' charged') == 1 then
  for _, lane in ipairs({urgent, released}) do forget_aside(lane .. ' ' .. ARGV[1]) end
end
return 1
