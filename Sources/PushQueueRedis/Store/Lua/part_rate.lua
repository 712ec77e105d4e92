-- The rates of campaigns, by the rule of `QueueRate`. `rate_wait`: in how many nanoseconds it is worth asking for a token of a
-- campaign again; 0 if it may have one, or has no rate. `charge`: charges an entry that is taken with its open tokens.
-- `keep_charges`: stores what was charged.
--
-- `put_aside`: gives an entry to the consumer of its lane and campaign, if the rate permits no token; returns whether it did.
-- `asides`: these consumers, each with its lane and its campaign. `aside_wait`: the wait of one of them; nothing while its
-- campaign is paused. `forget_aside`: removes such a consumer if it has nothing.
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
  local enough = math.max(1, math.floor(rate.window / rate.step / 4 + 1e-6))
  return math.ceil(rate.ahead + enough * rate.step - rate.window)
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
local function aside_wait(aside)
  if redis.call('HGET', campaigns, aside.campaign .. ' hold') ~= 'paused' then return rate_wait(aside.campaign) end
end
local function forget_aside(consumer)
  local first = redis.pcall('XPENDING', stream, group, '-', '+', 1, consumer)
  if first.err or #first > 0 then return end
  redis.pcall('XGROUP', 'DELCONSUMER', stream, group, consumer)
  if #asides() == 0 then redis.call('HDEL', counts, 'asides') end
end
local are_asides_known = false
local function put_aside(key, fields)
  local campaign = field(fields, 'campaign')
  if not campaign or rate_wait(campaign) == 0 then return false end
  if not are_asides_known then redis.call('HSET', counts, 'asides', 1) end
  are_asides_known = true
  redis.call('XCLAIM', stream, group, lane_of(fields) .. ' ' .. campaign, 0, key, 'JUSTID')
  return true
end
