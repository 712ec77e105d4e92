#!lua flags=allow-oom
-- Stores what is kept of a campaign. Arguments: its name, what must be stored of it or nothing, what is stored then,
-- the name of a campaign that is forgotten, or nothing, and why nothing of it is taken, or nothing. Returns 1, or 0 if
-- something else is stored.

if (redis.call('HGET', campaigns, ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[4] ~= '' then
  local kept = redis.call('HGETALL', campaigns)
  for i = 1, #kept, 2 do
    if string.match(kept[i], '^%S+') == ARGV[4] then redis.call('HDEL', campaigns, kept[i]) end
  end
end
redis.call('HSET', campaigns, ARGV[1], ARGV[3])
if ARGV[5] == '' then
  redis.call('HDEL', campaigns, ARGV[1] .. ' hold')
else
  redis.call('HSET', campaigns, ARGV[1] .. ' hold', ARGV[5])
end
return 1
