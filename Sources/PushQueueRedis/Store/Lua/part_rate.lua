-- The rates of campaigns, by the rule of `QueueRate.charge`. `rate_wait`: in how many nanoseconds a campaign may have a token; 0 if
-- it may, or has no rate. `charge`: charges an entry that is taken with its open tokens. `keep_charges`: stores what was charged.
-- `asides`: the consumers of what waits for the rate of its campaign, each with its lane and its campaign. `put_aside`: gives an
-- entry to that of its lane, if the rate permits no token; returns whether it did. `forget_aside`: removes such a consumer if it
-- has nothing.
--
-- An entry that was put aside keeps its place in the stream, and its consumer has it like a released one. `asides` in `counts`
-- tells that there may be such entries.

local most_tokens = 1000
local rates = {}
local function rate_of(campaign)
  if rates[campaign] == nil then
    local text = redis.call('HGET', campaigns, campaign .. ' rate') or ''
    local step, burst = string.match(text, '^(%S+) (%S+)$')
    step, burst = tonumber(step), tonumber(burst)
    rates[campaign] = step and burst and {step = step, window = step * burst}
    if rates[campaign] then
      local kept, most = redis.call('HGET', campaigns, campaign .. ' charged'), step * (burst + most_tokens)
      local ahead = ahead_of(kept, most)
      -- One that lay too far ahead is stored again, or it would count until its time has come.
      rates[campaign].ahead, rates[campaign].is_charged = ahead, ahead == most
    else
      rates[campaign] = false
    end
  end
  return rates[campaign]
end
local function rate_wait(campaign)
  local rate = rate_of(campaign)
  if not rate or (rate.window - rate.ahead) / rate.step + 1e-6 >= 1 then return 0 end
  return math.ceil(rate.ahead + rate.step - rate.window)
end
local function charge(fields, n)
  local campaign = field(fields, 'campaign')
  local rate = campaign and rate_of(campaign)
  if rate then rate.ahead, rate.is_charged = rate.ahead + n * rate.step, true end
end
local function keep_charges()
  for campaign, rate in pairs(rates) do
    if rate and rate.is_charged then
      redis.call('HSET', campaigns, campaign .. ' charged', text_ahead(rate.ahead))
    end
  end
end
local function asides()
  local found = {}
  if not redis.call('HGET', counts, 'asides') then return found end
  for _, consumer in ipairs(redis.call('XPENDING', stream, group)[4] or {}) do
    local lane, campaign = string.match(consumer[1], '^(%S+) (.+)$')
    if lane == urgent or lane == released then
      found[#found + 1] = {consumer = consumer[1], lane = lane, campaign = campaign}
    end
  end
  return found
end
local function forget_aside(consumer)
  local first = redis.pcall('XPENDING', stream, group, '-', '+', 1, consumer)
  if first.err or #first > 0 then return end
  redis.pcall('XGROUP', 'DELCONSUMER', stream, group, consumer)
  if #asides() == 0 then redis.call('HDEL', counts, 'asides') end
end
local function put_aside(key, fields)
  local campaign = field(fields, 'campaign')
  if not campaign or rate_wait(campaign) == 0 then return false end
  redis.call('HSET', counts, 'asides', 1)
  local lane = field(fields, 'urgent') == '1' and urgent or released
  redis.call('XCLAIM', stream, group, lane .. ' ' .. campaign, 0, key, 'JUSTID')
  return true
end
