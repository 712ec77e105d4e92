#!lua flags=allow-oom
-- Stores outcomes and the fates of entries. Arguments: the limit of each list of outcomes unless one is stored, that
-- of dead letters, the worker, the mark of the call, nothing for a first call, the id that an earlier call with this mark returned
-- or `-` if it returned none, a line for each settlement, and their texts. A line is `KEY FATE POSITIONS DIGITS LENGTH LENGTH CAMPAIGN COUNTS`: the positions of its rows with
-- commas, a digit for each row, 1 for feedback, 2 if APNs answered, 3 for both, else 0, and the bytes of its two
-- texts: the reason or the time and the retries, and the rows as lines, the campaign, and how many rows have which word, as
-- `delivered=2,rejected:Unregistered=1`; a hyphen for nothing. Returns the id of the rows, or nothing.
--
-- A script that fails midway is not undone. What can fail by itself, a key of another type, is checked first.
--
-- An entry that is done is deleted before its rows are written, so that a second call writes none. Its answers
-- count whoever brings them; any other fate only if it is this worker's. Rows of an entry that was lost with an
-- earlier queue, see `group`, are written, too: once, because their positions are kept for an hour. So are those
-- of entries whose fate has a `-` before it: this server never had them, see `adopt`.
--
-- A call with an earlier id, or `-`, is a repetition on a server that may have lost that call in a failover. It
-- does nothing if the rows are there, were cut, or were written by such a repetition. Else it writes the rows of
-- entries that are not there, too: they were lost together. With `-` it writes none of those, because an earlier
-- call had stored them. An entry that no worker has here is the worker's: that it was taken was lost, too.
--
-- A call without new rows may have been made before. It raises `waits`, so that WAIT has a write to wait for.
-- uses: need_group, check_types, fields, progress, delay, letters, bits, ids, rows, append, gate

need_group()
check_types()
local worker, mark, earlier, begin = ARGV[3], ARGV[4], ARGV[5], redis.call('HGET', counts, 'begin') or '0-0'
local is_repetition = earlier ~= ''
local had_rows = is_repetition and earlier ~= '-'
if had_rows then
  local cut_to = redis.call('HGET', counts, 'outcomes_cut_to') or '0-0'
  -- Another call may have got this id here, if the list lies ahead of the clock.
  local stored = redis.call('XRANGE', outcomes, earlier, earlier)[1]
  local is_there = not before_id(cut_to, earlier) or (stored and stored[2][6] == mark)
  if is_there or redis.call('HSETNX', orphans, 'repeated ' .. mark, 1) == 0 then return earlier end
  redis.call('EXPIRE', orphans, 3600)
end
local rows, row_count, gone, gone_count = {}, 0, {}, 0
-- Most entries have no progress, and one XACK for all is cheaper than one for each.
local has_progress, ended, is_deleted = redis.call('EXISTS', progress) == 1, {}, {}

-- Adds the rows of tokens that are not in the set, and those tokens to the set and, if answered, to the other.
local function add_rows(settled, answered, positions, digits, lines)
  local next_line, at = string.gmatch(lines, '[^\n]+'), 0
  for position in string.gmatch(positions, '%d+') do
    local line = next_line()
    at = at + 1
    local digit, index = tonumber(string.sub(digits, at, at)), tonumber(position)
    if add_bit(settled, index) then
      rows[#rows + 1], row_count = line, row_count + 1
      if digit % 2 == 1 then gone[#gone + 1], gone_count = line, gone_count + 1 end
      if digit >= 2 then add_bit(answered, index) end
    end
  end
end

-- Counts the rows of a settlement that were added as those of its campaign. `counts` is of all of them, `first` where those
-- that were added begin in `rows`.
local tallies = {}
local function count_rows(campaign, counts, all, first, added)
  if campaign == '*' or added == 0 then return end
  local function add(word, n)
    local name = campaign .. ' ' .. word
    tallies[name] = (tallies[name] or 0) + n
  end
  if added == all then
    for word, n in string.gmatch(counts, '([%w_:]+)=(%d+)') do add(word, tonumber(n)) end
    return
  end
  for i = first, #rows do
    local kind = string.match(rows[i], '"outcome":"(%a+)"')
    local reason = kind == 'rejected' and (string.match(rows[i], '"reason":"([%w_]+)"') or 'other')
    if kind then add(reason and 'rejected:' .. string.sub(reason, 1, 64) or kind, 1) end
  end
end

local function is_mine(key)
  local pending = redis.call('XPENDING', stream, group, key, key, 1)[1]
  if pending then return pending[2] == worker end
  return is_repetition
end
local function is_there(key)
  if is_deleted[key] then return false end
  return #redis.call('XPENDING', stream, group, key, key, 1) > 0
    or #redis.call('XRANGE', stream, key, key) > 0
end
local function delete(key)
  ended[#ended + 1], is_deleted[key] = key, true
  return redis.call('XDEL', stream, key) == 1
end

local function bury(key, reason, settled)
  local fields = with_id(redis.call('XRANGE', stream, key, key)[1][2], key)
  local kept = {unpack(fields, 1, math.min(#fields, 1000))}
  new_letter(ARGV[2], reason, settled, kept)
end

-- An entry in doubt that was put aside, because its campaign is paused, gets the answers that a worker has which was taken for
-- dead.
local function settle_aside(key, positions, digits, lines)
  local member = redis.call('HGET', orphans, 'aside ' .. key)
  local stored = member and redis.call('HGET', delayed, member)
  if not stored then return false end
  local entry = cmsgpack.unpack(stored)
  local p = parse(entry[2])
  local settled = bits_of(p.settled)
  add_rows(settled, {}, positions, digits, lines)
  p.settled = bits_text(settled)
  if open_tokens(entry[1], p) == 0 then
    redis.call('ZREM', later, member)
    redis.call('HDEL', delayed, member)
  else
    redis.call('HSET', delayed, member, cmsgpack.pack({entry[1], text_of(p)}))
  end
  return true
end

local function settle(key, fate, detail, positions, digits, lines)
  local p = has_progress and progress_of(key) or parse('')
  if fate == 'done' then
    if not delete(key) then return settle_aside(key, positions, digits, lines) end
    if has_progress then redis.call('HDEL', progress, key) end
    if p.settled == '' and string.find(digits, '^[02]*$') then
      if lines ~= '' then rows[#rows + 1], row_count = lines, row_count + #digits end
    else
      add_rows(bits_of(p.settled), {}, positions, digits, lines)
    end
    return true
  end
  if not is_there(key) then return settle_aside(key, positions, digits, lines) end
  local settled, answered = bits_of(p.settled), bits_of(p.settled)
  add_rows(settled, answered, positions, digits, lines)
  p.settled = bits_text(settled)
  if fate == 'open' or not is_mine(key) then
    keep(key, p)
    has_progress = true
    return true
  end
  local entry = redis.call('XRANGE', stream, key, key)[1]
  if entry and fate == 'again' and not can_delay(entry[2]) then
    bury(key, 'The entry has more than 50 fields, so it cannot be delayed.', bits_text(answered))
  elseif entry and fate == 'again' then
    local due, retries = string.match(detail, '^(%d+) (%d+)$')
    p.before, p.life, p.doubts, p.retries = 0, 0, 0, tonumber(retries)
    delay(with_id(entry[2], key), due, text_of(p))
  elseif entry and fate == 'cancelled' then
    count_cancelled(entry[2], p)
  elseif entry then
    bury(key, detail, bits_text(answered))
  end
  delete(key)
  redis.call('HDEL', progress, key)
  return true
end

local at = 1
local function next_text(length)
  at = at + length
  return string.sub(ARGV[7], at - length, at - 1)
end
local line = '(%S+) (%-?)(%a+) ([%d,]*) (%d*) (%d+) (%d+) (%S+) (%S+)\n'
for key, absent, fate, positions, digits, detail_length, lines_length, campaign, words in string.gmatch(ARGV[6], line) do
  local detail, lines = next_text(detail_length), next_text(lines_length)
  local first, before = #rows + 1, row_count
  local found = settle(key, fate, detail, positions, digits, lines)
  if not found and (had_rows or absent == '-' or before_id(key, begin)) then
    local settled = bits_of(redis.call('HGET', orphans, key) or '')
    add_rows(settled, {}, positions, digits, lines)
    redis.call('HSET', orphans, key, bits_text(settled))
    redis.call('EXPIRE', orphans, 3600)
  end
  count_rows(campaign, words, #digits, first, row_count - before)
end
for name, n in pairs(tallies) do
  -- Not of campaigns that the queue does not keep.
  if redis.call('HGET', campaigns, string.match(name, '^%S+')) then redis.call('HINCRBY', campaigns, name, n) end
end
for i = 1, #ended, 1000 do
  redis.call('XACK', stream, group, unpack(ended, i, math.min(i + 999, #ended)))
end
local limit = tonumber(redis.call('HGET', counts, 'max_outcomes') or ARGV[1])
local id = append(outcomes, 'outcomes', rows, row_count, limit, mark)
if row_count == 0 then redis.call('HINCRBY', counts, 'waits', 1) end
append(feedback, 'feedback', gone, gone_count, limit, mark)
return id
