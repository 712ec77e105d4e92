#!lua flags=allow-oom
-- Takes entries: the released ones, then the next ones, as long as their tokens fit. Arguments: the worker, the
-- tokens that fit, how many tokens an entry is expected to have, how many entries at most, how many due ones to
-- move at most, and the limit of dead letters.
--
-- The server cannot look at the next entry without delivering it. So the script reads as many as should fit, and
-- gives back to `released` what does not: that is rare, and keeps the order. It reads few at once, and fewer when
-- they are large, so that records of some MiB do not fill the server's memory. An entry whose time has not come is
-- here only if a producer added it by a plain XADD: it moves to the delayed ones. Those count as looked at, so
-- that many of them do not hold up the server. What a campaign that is paused or was cancelled has is put aside, or
-- removed, when it is met here.
-- uses: need_group, clock, fields, progress, delay, letters, move_due, sizes, gate, found

local worker, room, expected, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
need_group()
local now = clock()
move_due(now, tonumber(ARGV[5]), ARGV[6])
local taken, full, has_progress = {}, false, redis.call('EXISTS', progress) == 1
local space = take_size

local function fits(fields, bytes)
  local n = token_count(fields)
  if full or (#taken > 0 and (n > room or bytes > space)) then
    full = true
    return false
  end
  room = room - n
  return true
end

local function take_released()
  for _, pending in ipairs(redis.call('XPENDING', stream, group, '-', '+', limit, released)) do
    local key = pending[1]
    local entry = redis.call('XRANGE', stream, key, key)[1]
    local bytes = entry and size_of(entry[2]) or 0
    if not entry then
      redis.call('XACK', stream, group, key)
    elseif bytes > record_size then
      bury_huge(key, entry[2], ARGV[6])
    elseif hold_back(key, entry[2], has_progress) then
      -- It is put aside, or removed.
    elseif fits(entry[2], bytes) then
      redis.call('XCLAIM', stream, group, worker, 0, key, 'JUSTID')
      taken[#taken + 1] = found_entry(key, entry[2], has_progress)
    else
      return
    end
    space = space - bytes
  end
end

local function receive(key, fields)
  local due, bytes = tonumber(field(fields, 'not_before') or 0) or 0, size_of(fields)
  if bytes > record_size then
    bury_huge(key, fields, ARGV[6])
  elseif due * 1000 > now and due < 1e12 and can_delay(fields) then
    -- First, because it can fail. An entry that was postponed, or put back, has progress that must go with it.
    delay(with_id(fields, key), math.ceil(due * 1000), has_progress and redis.call('HGET', progress, key) or '')
    redis.call('XACK', stream, group, key)
    redis.call('XDEL', stream, key)
    redis.call('HDEL', progress, key)
  elseif hold_back(key, fields, has_progress) then
    -- It is put aside, or removed.
  elseif fits(fields, bytes) then
    taken[#taken + 1] = found_entry(key, fields, has_progress)
  else
    redis.call('XCLAIM', stream, group, released, 0, key, 'JUSTID')
  end
  space = space - bytes
end

take_released()
local looked, at_once = #taken, 4
while room > 0 and (space > 0 or #taken == 0) and not full and looked < limit do
  local asked = math.max(1, math.min(math.floor(room / expected), limit - looked, at_once))
  local read = redis.call('XREADGROUP', 'GROUP', group, worker, 'COUNT', asked, 'STREAMS', stream, '>')
  if not read then break end
  local entries, room_before, space_before = read[1][2], room, space
  for _, entry in ipairs(entries) do receive(entry[1], entry[2]) end
  looked = looked + #entries
  if #entries < asked then break end
  expected = math.max(1, math.ceil((room_before - room) / #entries))
  at_once = math.min(64, math.floor(space / ((space_before - space) / #entries)))
end
if #taken > 0 then redis.call('HSETNX', workers, worker, 0) end
return taken
