-- `gate`: whether an entry stays in the queue because of its campaign: `paused` or `cancelled`, or nothing. What is in doubt is
-- not cancelled. `put_aside`: delays an entry until its campaign goes on. `aside`: the lowest of the times of such entries,
-- which follow each other. `count_cancelled`: counts the open tokens of an entry as cancelled.

local aside = 8e15
local gates = {}
local function gate(fields, p)
  local campaign = field(fields, 'campaign')
  if not campaign then return end
  if gates[campaign] == nil then gates[campaign] = redis.call('HGET', campaigns, campaign .. ' hold') end
  if gates[campaign] == 'cancelled' and (p.before > 0 or p.doubts > 0) then return end
  return gates[campaign] or nil
end
local function put_aside(fields, p)
  delay(fields, aside + (tonumber(redis.call('HGET', counts, 'delays')) or 0) + 1, text_of(p))
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
