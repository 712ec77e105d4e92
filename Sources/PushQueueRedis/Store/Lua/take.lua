#!lua flags=allow-oom
-- Takes entries: of each lane the released ones, then the next ones, as long as their tokens fit. Arguments: the worker, the
-- tokens that fit, how many tokens an entry is expected to have, how many entries at most, how many due ones to
-- move at most, the limit of dead letters, and of `LaneDebt` how many urgent tokens an ordinary one pays for, and the limit.
--
-- The server cannot look at the next entry without delivering it. So the script reads as many as should fit, and
-- gives back to its lane what does not: that is rare, and keeps the order. It reads few at once, and fewer when
-- they are large, so that records of some MiB do not fill the server's memory. An entry whose time has not come is
-- here only if a producer added it by a plain XADD: it moves to the delayed ones. Those count as looked at, so
-- that many of them do not hold up the server. What a campaign that is paused or was cancelled has is put aside, or
-- removed, when it is met here.
--
-- An urgent entry was given to a consumer when it was added. Where the reading comes to such an entry, it goes back to its
-- consumer, see `owners`. An urgent one of a plain XADD is met only there.
--
-- An entry of a campaign whose rate permits no token now is put aside when it is met. What was put aside is taken once the rate
-- permits it. In the urgent lane it comes first. In the other lane it comes after what was released, and before what was never
-- taken. Before a lane has something to take, a call passes over at most `most_passed` entries of campaigns that are held or wait
-- for a rate: many of them hold up no other lane.
-- uses: need_group, clock, fields, ids, progress, delay, letters, lane, move_due, sizes, gate, found, cursor, pace, rate

local worker, room, expected, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local per_token, most_debt = tonumber(ARGV[7]), tonumber(ARGV[8])
need_group()
local now = clock()
move_due(now, tonumber(ARGV[5]), ARGV[6])
urgent_to = redis.call('HGET', counts, 'urgent_to')
local debt_before = tonumber(redis.call('HGET', counts, 'debt') or 0)
local taken, full, debt, has_progress = {}, false, debt_before, redis.call('EXISTS', progress) == 1
local space, looked, position, is_at_end = take_size, 0, nil, false
-- How many more bytes of entries that have an owner may be read and handed back.
local space_to_pass = 4 * take_size
local most_passed = 128

-- Charges an entry that fits.
local function fits(key, fields, bytes)
  local known = has_progress and redis.call('HGET', progress, key)
  local n = known and open_tokens(fields, parse(known)) or token_count(fields)
  if full or (#taken > 0 and (n > room or bytes > space)) then
    full = true
    return false
  end
  room = room - n
  charge(fields, n)
  return true
end

-- What waits with a consumer, in pages. `next_of`: the key of the next one, if there is one. `take_waiting`: takes the next one
-- that fits, and passes over those of campaigns that are held or wait for a rate. Returns whether it took one.
local function waiting_with(consumer) return {consumer = consumer, keys = {}, at = 0, from = '-', passed = 0} end
local function next_of(list)
  if list.at == #list.keys and list.from then
    local count = math.min(limit, room + 1)
    list.keys = redis.call('XPENDING', stream, group, list.from, '+', count, list.consumer)
    list.at, list.from = 0, #list.keys == count and '(' .. list.keys[count][1]
  end
  return list.keys[list.at + 1] and list.keys[list.at + 1][1]
end
local function take_waiting(list)
  local before = #taken
  while #taken == before and looked < limit and list.passed < most_passed and next_of(list) do
    local key = next_of(list)
    local entry = redis.call('XRANGE', stream, key, key)[1]
    local bytes = entry and size_of(entry[2]) or 0
    if not entry then
      redis.call('XACK', stream, group, key)
    elseif bytes > record_size then
      bury_huge(key, entry[2], ARGV[6])
    elseif hold_back(key, entry[2], has_progress) or put_aside(key, entry[2]) then
      list.passed = list.passed + 1
    elseif fits(key, entry[2], bytes) then
      redis.call('XCLAIM', stream, group, worker, 0, key, 'JUSTID')
      taken[#taken + 1] = found_entry(key, entry[2], has_progress)
    else
      return false
    end
    space, looked, list.at = space - bytes, looked + 1, list.at + 1
  end
  return #taken > before
end

-- What waits for the rates of campaigns, by lanes. `open_list`: a list of which something may be taken.
local lists_aside = {[urgent] = {}, [released] = {}}
for _, aside in ipairs(asides()) do
  local lists, list = lists_aside[aside.lane], waiting_with(aside.consumer)
  list.campaign, lists[#lists + 1] = aside.campaign, list
end
local function open_list(lane)
  for _, list in ipairs(lists_aside[lane]) do
    if aside_wait(list) == 0 and list.passed < most_passed and next_of(list) then return list end
  end
end
local function take_aside(lane)
  local list = open_list(lane)
  while list do
    if take_waiting(list) then return true end
    list = not full and looked < limit and open_list(lane)
  end
  return false
end

local function receive(key, fields, owner)
  local due, bytes = tonumber(field(fields, 'not_before') or 0) or 0, size_of(fields)
  if owner then
    redis.call('XCLAIM', stream, group, owner, 0, key, 'JUSTID')
    space_to_pass = space_to_pass - bytes
    return
  elseif bytes > record_size then
    bury_huge(key, fields, ARGV[6])
  elseif due * 1000 > now and due < 1e12 and can_delay(fields) then
    -- First, because it can fail. An entry that was postponed, or put back, has progress that must go with it.
    delay(with_id(fields, key), math.ceil(due * 1000), has_progress and redis.call('HGET', progress, key) or '')
    redis.call('XACK', stream, group, key)
    redis.call('XDEL', stream, key)
    redis.call('HDEL', progress, key)
  elseif hold_back(key, fields, has_progress) or put_aside(key, fields) then
    -- It is put aside, or removed.
  elseif fits(key, fields, bytes) then
    taken[#taken + 1] = found_entry(key, fields, has_progress)
  else
    redis.call('XCLAIM', stream, group, lane_of(fields), 0, key, 'JUSTID')
  end
  space = space - bytes
end

local function may_read()
  local has_space = (space > 0 or #taken == 0) and space_to_pass > 0
  return room > 0 and has_space and not full and not is_at_end and looked < limit
end
-- Reads the next entries of the stream. Returns how many.
local function read(asked)
  if urgent_to then position = position or cursor() end
  local owner = urgent_to and owners(position, asked) or {}
  local reply = redis.call('XREADGROUP', 'GROUP', group, worker, 'COUNT', asked, 'STREAMS', stream, '>')
  local entries = reply and reply[1][2] or {}
  for _, entry in ipairs(entries) do receive(entry[1], entry[2], owner[entry[1]]) end
  looked, is_at_end = looked + #entries, #entries < asked
  position = #entries > 0 and entries[#entries][1] or position
  if urgent_to and (is_at_end or not before_id(position, urgent_to)) then
    redis.call('HDEL', counts, 'urgent_to')
    urgent_to = nil
  end
  return #entries
end

-- How many urgent entries are next in the stream, which have an owner, and whether another one follows. Beyond 256 one counts as
-- following.
local function ahead()
  position = position or cursor()
  local from, count, asked = position, 0, 1
  while count < 256 do
    local page = redis.call('XRANGE', stream, '(' .. from, '+', 'COUNT', asked)
    local owner = urgent_to and owners(from, asked) or {}
    for _, entry in ipairs(page) do
      if not owner[entry[1]] then return count, true end
      count, from = count + 1, entry[1]
    end
    if #page < asked then return count, false end
    asked = 64
  end
  return count, true
end

-- `LaneDebt`. An ordinary entry that is not found soon, behind urgent ones or those of held campaigns, is found by the next takes:
-- the debt stays until then.
local next_urgent, next_released = waiting_with(urgent), waiting_with(released)
local function has_urgent() return open_list(urgent) or next_of(next_urgent) end
local function take_urgent() return take_aside(urgent) or (not full and take_waiting(next_urgent)) end
local function take_old() return take_waiting(next_released) or (not full and take_aside(released)) end
local has_ordinary, is_searched
local function ordinary_waits()
  if has_ordinary == nil then
    has_ordinary = next_of(next_released) ~= nil or open_list(released) ~= nil or select(2, ahead())
  end
  return has_ordinary
end
-- `passed` bounds the urgent entries that are read and handed back, `searched` those of campaigns that are held or wait for a rate.
-- A search is no reason for urgent ones to wait, so it does not count as looked at.
local function take_ordinary()
  local before, looked_before, passed, searched = #taken, looked, 0, 0
  if not take_old() then
    while #taken == before and may_read() and passed < 1024 and searched < most_passed do
      local count = ahead()
      if count > 0 then read(count) end
      passed, searched = passed + count + 1, searched + 1
      if not is_at_end then read(1) end
    end
    looked = looked_before + #taken - before
  end
  has_ordinary, is_searched = nil, #taken == before
  return not is_searched
end
while room > 0 and not full and looked < limit and has_urgent() do
  local room_before = room
  if debt >= per_token and not is_searched and take_ordinary() then
    debt = math.max(debt - per_token * (room_before - room), -most_debt)
  elseif not full then
    local waits = ordinary_waits()
    if not take_urgent() then break end
    debt = waits and math.min(debt + room_before - room, most_debt) or debt < per_token and debt or 0
  end
end
local room_left = room
while room > 0 and not full and looked < limit and take_old() do end
local at_once = 4
while may_read() do
  local asked = math.max(1, math.min(math.floor(room / expected), limit - looked, at_once))
  local room_before, space_before, count = room, space, read(asked)
  if count == 0 then break end
  expected = math.max(1, math.ceil((room_before - room) / count))
  at_once = math.min(64, math.floor(space / ((space_before - space) / count)))
end
if debt > 0 then debt = math.max(0, debt - per_token * (room_left - room)) end
keep_charges()
for _, lists in pairs(lists_aside) do
  for _, list in ipairs(lists) do
    if not rate_of(list.campaign) then forget_aside(list.consumer) end
  end
end
if debt ~= debt_before then redis.call('HSET', counts, 'debt', debt) end
if #taken > 0 then redis.call('HSETNX', workers, worker, 0) end
return taken
