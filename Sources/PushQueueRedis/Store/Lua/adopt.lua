#!lua flags=allow-oom
-- Puts a worker's entries into its pending list again, on a server that may have lost in a failover that it took
-- them. Arguments: the worker, where an earlier call ended or nothing, then pairs of a key and how far it is
-- offered, from the lowest key.
--
-- LASTID keeps the server from delivering them to others. The entries before them that are pending with no worker
-- were delivered, too: they go to the consumer `failover`, whose counter never changes. So another worker takes
-- them over as in doubt, if the one that had them does not claim them before. After a restart with old data, these
-- can be very many. So the script goes through them in order, and ends after 1,000 or `page_size` bytes.
--
-- LASTID is never the key of an entry that this server does not have: if its clock is behind, new entries get lower
-- keys, and would count as delivered.
--
-- An entry that another worker has here may have come to it by a take that was under way at the failover. So that this
-- worker wants it is noted, for `hand_back`.
--
-- Returns where the next call goes on, or nothing at the end, and the keys that this server never had: they are
-- higher than all that were ever deleted from it. Whoever else had ended such an entry would have deleted it, or
-- stores its rows as a repetition. What cannot be told: an entry that this server never had, when a newer one has
-- already ended here. It counts as ended by another worker. That takes a worker that comes after the quiet time of
-- the others.
-- uses: need_group, clock, ids, fields, progress, letters, sizes

local worker, cursor, last, deleted, absent = ARGV[1], ARGV[2], '0-0', '0-0', {}
need_group()
local stream_info = redis.call('XINFO', 'STREAM', stream)
for i = 1, #stream_info, 2 do
  if stream_info[i] == 'max-deleted-entry-id' then deleted = stream_info[i + 1] end
end
for _, info in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  for i = 1, #info, 2 do
    if info[2] == group and info[i] == 'last-delivered-id' then last = info[i + 1] end
  end
end
local function owner(key)
  local pending = redis.call('XPENDING', stream, group, key, key, 1)[1]
  return pending and pending[2]
end
local function may_claim(key)
  local holder = owner(key)
  return not holder or holder == worker or holder == 'failover' or holder == released
end
local function claim(consumer, key)
  redis.call('XCLAIM', stream, group, consumer, 0, key, 'FORCE', 'JUSTID', 'LASTID', key)
end

local ends = {}
local function claim_own(key)
  if #redis.call('XRANGE', stream, key, key) > 0 then
    claim(worker, key)
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
    ends[key] = tonumber(ARGV[i + 1])
    if before_id(highest, key) then highest = key end
    if not before_id(last, key) then claim_own(key) end
  else
    local note = string.format('%.0f %s %s', clock(), ARGV[i + 1], worker)
    redis.call('HSET', orphans, 'wanted ' .. key, note)
    redis.call('EXPIRE', orphans, 3600)
  end
end
redis.call('HSETNX', workers, worker, 0)

local from, left, space = last, 1000, page_size
if cursor ~= '' and before_id(from, cursor) then from = cursor end
repeat
  local page = {}
  if before_id(from, highest) then page = redis.call('XRANGE', stream, '(' .. from, highest, 'COUNT', 10) end
  for _, entry in ipairs(page) do
    local key = entry[1]
    if left <= 0 or space <= 0 then return {from, absent} end
    from, left, space = key, left - 1, space - size_of(entry[2])
    if ends[key] then
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
  if ends[key] and before_id(last, key) and owner(key) ~= worker then claim_own(key) end
end
return {'', absent}
