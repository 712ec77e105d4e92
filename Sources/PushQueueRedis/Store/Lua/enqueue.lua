#!lua
-- Adds entries, all or none. Arguments: how many entries the queue may have, the id of the first, the name of their
-- campaign or nothing, what must be stored of it, what is stored of it then, and for each entry the milliseconds of its
-- time or nothing, the number of its words, and its words. Returns 0 if they do not fit, 2 if something else is stored of
-- the campaign, else 1.
--
-- Entries of a campaign come with what is stored of it, which tells a call that was made before. For others, a call whose
-- first id is that of an earlier call adds nothing: `calls` has the first ids of the calls of the
-- last minute, by their time. About one call in 64, chosen by the clock's microseconds, forgets older ones and
-- those beyond 10,000. Times that lie ahead are those of a clock that was ahead, before a failover: they go first,
-- so that the newest calls stay.
--
-- An urgent entry has that as its last field. It is given to the lane at once, for which the group must be there.
--
-- A call that was made before raises `waits`, so that WAIT has a write to wait for.
--
-- It has no `allow-oom`: a server without memory refuses it before its first line.
-- uses: need_group, check_types, fields, ids, delay, lane

local time, call = redis.call('TIME'), ARGV[2]
local microseconds = tonumber(time[2])
local now = tonumber(time[1]) * 1000 + math.floor(microseconds / 1000)
local campaign = ARGV[3]
if campaign ~= '' and redis.call('HGET', campaigns, campaign) ~= ARGV[4] then return 2 end
local earlier = campaign == '' and redis.call('ZSCORE', calls, call)
if earlier and now - earlier < 60000 then
  redis.call('HINCRBY', counts, 'waits', 1)
  return 1
end
local entries, at, delays, overtakes = {}, 6, false, false
while at <= #ARGV do
  local n, due = tonumber(ARGV[at + 1]), tonumber(ARGV[at])
  due = due and due > now and due
  local first, last = at + 2, at + 1 + n
  local is_urgent = not due and ARGV[last - 1] == 'urgent'
  entries[#entries + 1] = {due, first, last, is_urgent}
  delays, overtakes, at = delays or due, overtakes or is_urgent, last + 1
end
local stored = redis.call('XLEN', stream) + redis.call('ZCARD', later)
if stored + #entries > tonumber(ARGV[1]) then return 0 end
if delays or overtakes then check_types() end
if overtakes then need_group() end
for _, entry in ipairs(entries) do
  local due, first, last = entry[1], entry[2], entry[3]
  if due then
    delay({unpack(ARGV, first, last)}, due, '')
  else
    local key = redis.call('XADD', stream, '*', unpack(ARGV, first, last))
    if entry[4] then overtake(key) end
  end
end
if campaign ~= '' then
  redis.call('HSET', campaigns, campaign, ARGV[5])
  return 1
end
redis.call('ZADD', calls, string.format('%.0f', now), call)
if microseconds % 64 > 0 then return 1 end
redis.call('ZREMRANGEBYSCORE', calls, '-inf', string.format('%.0f', now - 60000))
local over = redis.call('ZCARD', calls) - 10000
if over <= 0 then return 1 end
local ahead = math.min(over, redis.call('ZCOUNT', calls, string.format('(%.0f', now), '+inf'))
if ahead > 0 then redis.call('ZREMRANGEBYRANK', calls, -ahead, -1) end
if over > ahead then redis.call('ZREMRANGEBYRANK', calls, 0, over - ahead - 1) end
return 1
