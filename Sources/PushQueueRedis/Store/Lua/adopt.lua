#!lua flags=allow-oom
-- Puts a worker's entries into its pending list again, on a server that may have lost in a failover that it took
-- them. Arguments: the worker, where an earlier call ended or nothing, then pairs of a key and how far it is
-- offered, with a `u` behind it if it is urgent, from the lowest key.
--
-- LASTID keeps the server from delivering them to others. The entries before them that are pending with no worker
-- were delivered, too: they go to the consumer `failover`, whose counter never changes. So another worker takes
-- them over as in doubt, if the one that had them does not claim them before. After a restart with old data, these
-- can be very many. So the script goes through them in order, and ends after 1,000 or `page_size` bytes.
--
-- LASTID is never the key of an entry that this server does not have: if its clock is behind, new entries get lower
-- keys, and would count as delivered.
--
-- An urgent entry says nothing of those before it: it was taken before the reading came to them. It gets no LASTID.
--
-- An entry that another worker has here may have come to it by a take that was under way at the failover. So that this
-- worker wants it is noted, for `hand_back`.
--
-- Returns where the next call goes on, or nothing at the end, and the keys that this server never had: they are
-- higher than all that were ever deleted from it. Whoever else had ended such an entry would have deleted it, or
-- stores its rows as a repetition. What cannot be told: an entry that this server never had, when a newer one has
-- already ended here. It counts as ended by another worker. That takes a worker that comes after the quiet time of
-- the others.
-- uses: need_group, clock, ids, fields, progress, letters, sizes, cursor, lane

local worker, earlier_end, deleted, absent = ARGV[1], ARGV[2], '0-0', {}
need_group()
local stream_info = redis.call('XINFO', 'STREAM', stream)
for i = 1, #stream_info, 2 do
  if stream_info[i] == 'max-deleted-entry-id' then deleted = stream_info[i + 1] end
end
local last = cursor()
local function owner(key)
  local pending = redis.call('XPENDING', stream, group, key, key, 1)[1]
  return pending and pending[2]
end
local function may_claim(key)
  local holder = owner(key)
  return not holder or holder == worker or holder == 'failover' or waits_with(holder)
end
local function claim(consumer, key)
  redis.call('XCLAIM', stream, group, consumer, 0, key, 'FORCE', 'JUSTID', 'LASTID', key)
end

local ends, urgents = {}, {}
local function claim_own(key)
  if #redis.call('XRANGE', stream, key, key) > 0 then
    if urgents[key] and before_id(last, key) then overtake(key, worker) else claim(worker, key) end
    local p = progress_of(key)
    p.life = math.max(p.life, ends[key])
    keep(key, p)
  else
    redis.call('XACK', stream, group, key)
    if before_id(deleted, key) then absent[#absent + 1] = key end
  end
end

local highest = last
for i = 3, #ARGV, 2 do
  local key = ARGV[i]
  if may_claim(key) then
    local digits, mark = string.match(ARGV[i + 1], '^(%d+)(u?)$')
    ends[key], urgents[key] = tonumber(digits), mark == 'u'
    if not urgents[key] and before_id(highest, key) then highest = key end
    if urgents[key] or not before_id(last, key) then claim_own(key) end
  else
    local note = string.format('%.0f %s %s', clock(), string.match(ARGV[i + 1], '^%d+'), worker)
    redis.call('HSET', orphans, 'wanted ' .. key, note)
    redis.call('EXPIRE', orphans, 3600)
  end
end
redis.call('HSETNX', workers, worker, 0)

local from, left, space = last, 1000, page_size
if earlier_end ~= '' and before_id(from, earlier_end) then from = earlier_end end
repeat
  local page = {}
  if before_id(from, highest) then page = redis.call('XRANGE', stream, '(' .. from, highest, 'COUNT', 10) end
  for _, entry in ipairs(page) do
    local key = entry[1]
    if left <= 0 or space <= 0 then return {from, absent} end
    from, left, space = key, left - 1, space - size_of(entry[2])
    if ends[key] and not urgents[key] then
      claim_own(key)
    elseif not owner(key) then
      claim('failover', key)
      redis.call('HSETNX', workers, 'failover', 0)
    end
  end
until #page < 10
-- Those that were not met are not there.
for i = 3, #ARGV, 2 do
  local key = ARGV[i]
  if ends[key] and not urgents[key] and before_id(last, key) and owner(key) ~= worker then claim_own(key) end
end
return {'', absent}
