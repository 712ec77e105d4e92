#!lua flags=no-writes
-- Counts what is where. Returns how many entries the stream has, how many are delayed and dead, how many outcomes
-- are stored and were removed unread, the key of the oldest that waits, pairs of a consumer and how many it has,
-- the workers with their counters, the workers with the milliseconds since their last heartbeat, how many
-- outcomes a list keeps, if that is stored, the workers that have a note, with it, and what `steering` does.
--
-- A heartbeat that lies ahead was stored by a clock that was ahead, before a failover: it counts as now.
--
-- What waits is the length of the stream without what is pending. The server's own `lag` is unknown after
-- deletions.
-- uses: clock, ids, cursor

local function count(name) return tonumber(redis.call('HGET', counts, name) or 0) end
local last, consumers, owner, oldest = '0-0', {}, {}, ''
local function look_at(key)
  if oldest == '' or before_id(key, oldest) then oldest = key end
end
if not redis.pcall('XPENDING', stream, group, '-', '+', 1).err then
  consumers = redis.call('XPENDING', stream, group)[4] or {}
  for _, consumer in ipairs(consumers) do
    if waits_with(consumer[1]) then look_at(redis.call('XPENDING', stream, group, '-', '+', 1, consumer[1])[1][1]) end
  end
  last = cursor()
  owner = owners(last, 10)
end
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. last, '+', 'COUNT', next(owner) and 10 or 1)) do
  if not owner[entry[1]] then look_at(entry[1]) end
end
local silences, now = redis.call('HGETALL', beats), clock()
for i = 2, #silences, 2 do
  silences[i] = string.format('%.0f', math.max(0, now - (tonumber(silences[i]) or now)))
end
local known, notes = redis.call('HGETALL', workers), {}
for i = 1, #known, 2 do
  local note = redis.call('HGET', counts, 'note ' .. known[i])
  if note then notes[#notes + 1], notes[#notes + 2] = known[i], note end
end
return {
  redis.call('XLEN', stream), redis.call('ZCARD', later), redis.call('XLEN', dead),
  count('outcomes') - count('outcomes_cut'), count('outcomes_unread'), oldest, consumers,
  known, silences, redis.call('HGET', counts, 'max_outcomes'), notes,
  {redis.call('HGET', counts, 'paused') or '', redis.call('HGET', counts, 'rate') or ''}
}
