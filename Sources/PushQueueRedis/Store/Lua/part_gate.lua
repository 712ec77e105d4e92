-- `gate`: why nothing of an entry's campaign is taken: `paused`, `cancelled`, or nothing. `hold_back`: puts an entry aside whose
-- campaign is paused, until that goes on, or removes one whose campaign was cancelled, unless it is in doubt; returns
-- whether it did. `aside`: the lowest of the times of entries that are put aside, which follow each other.
-- `count_cancelled`: counts the open tokens of an entry as cancelled. An entry in doubt leaves a note where it is: a worker that was
-- taken for dead may still get answers.

local aside = 8e15
local gates = {}
local function gate(fields)
  local campaign = field(fields, 'campaign')
  if not campaign then return end
  if gates[campaign] == nil then gates[campaign] = redis.call('HGET', campaigns, campaign .. ' hold') end
  return gates[campaign] or nil
end
local ones = {['0'] = 0, ['1'] = 1, ['2'] = 1, ['3'] = 2, ['4'] = 1, ['5'] = 2, ['6'] = 2, ['7'] = 3,
  ['8'] = 1, ['9'] = 2, a = 2, b = 3, c = 2, d = 3, e = 3, f = 4}
local function open_tokens(fields, p)
  local open = token_count(fields)
  for digit in string.gmatch(string.lower(p.settled), '%x') do open = open - ones[digit] end
  return open
end
local function count_cancelled(fields, p)
  local campaign = field(fields, 'campaign')
  if campaign and redis.call('HGET', campaigns, campaign) then
    redis.call('HINCRBY', campaigns, campaign .. ' cancelled', open_tokens(fields, p))
  end
end
local function hold_back(key, fields, has_progress)
  local hold = gate(fields)
  if not hold then return false end
  local p = has_progress and progress_of(key) or parse('')
  if hold == 'paused' then
    if not can_delay(fields) then return false end
    local time = aside + (tonumber(redis.call('HGET', counts, 'delays')) or 0) + 1
    local member = delay(with_id(fields, key), time, text_of(p))
    if p.doubts > 0 then
      redis.call('HSET', orphans, 'aside ' .. key, member)
      redis.call('EXPIRE', orphans, 3600)
    end
  else
    if p.before > 0 or p.doubts > 0 then return false end
    count_cancelled(fields, p)
  end
  redis.call('XACK', stream, group, key)
  redis.call('XDEL', stream, key)
  redis.call('HDEL', progress, key)
  return true
end
