-- `progress_of` and `keep`: what is known of an entry beyond its fields, as one text in a hash.
--
-- `before` is how many of its tokens workers that died may have sent, `life` how many this one may have sent,
-- `retries` how often they were postponed, `settled` the tokens with an outcome. Empty progress is not
-- stored.

local function parse(text)
  local before, life, doubts, retries, settled =
    string.match(text or '', '^(%d+) (%d+) (%d+) (%d+) (%x*)$')
  return {
    before = tonumber(before or 0), life = tonumber(life or 0), doubts = tonumber(doubts or 0),
    retries = tonumber(retries or 0), settled = settled or ''
  }
end
local function text_of(p)
  return string.format('%d %d %d %d %s', p.before, p.life, p.doubts, p.retries, p.settled)
end
local function progress_of(key) return parse(redis.call('HGET', progress, key)) end
local function keep(key, p)
  if p.before == 0 and p.life == 0 and p.doubts == 0 and p.retries == 0 and p.settled == '' then
    redis.call('HDEL', progress, key)
  else
    redis.call('HSET', progress, key, text_of(p))
  end
end
