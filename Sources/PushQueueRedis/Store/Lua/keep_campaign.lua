#!lua flags=allow-oom
-- Stores what is kept of a campaign. Arguments: its name, what must be stored of it or nothing, what is stored then,
-- the name of a campaign that is forgotten, or nothing, and why nothing of it is taken, or nothing. Returns 1, or 0 if
-- something else is stored. What was put aside until now comes back, if the campaign is not paused any more.
-- uses: fields, delay, progress, gate

if (redis.call('HGET', campaigns, ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[4] ~= '' then
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
if ARGV[5] == '' then
  redis.call('HDEL', campaigns, ARGV[1] .. ' hold')
else
  redis.call('HSET', campaigns, ARGV[1] .. ' hold', ARGV[5])
end
return 1
