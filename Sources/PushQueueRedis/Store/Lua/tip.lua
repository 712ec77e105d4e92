#!lua flags=no-writes
-- Where to wait: the last key that was taken, the last wake-up, and the milliseconds until a delayed entry is due, or one that
-- waits for the rate of its campaign, or -1. Returns nothing if there is something to take.
-- uses: need_group, clock, fields, cursor, pace, rate

need_group()
for _, lane in ipairs({urgent, released}) do
  if #redis.call('XPENDING', stream, group, '-', '+', 1, lane) > 0 then return {} end
end
local first, due = redis.call('ZRANGE', later, 0, 0, 'WITHSCORES'), -1
if first[2] then due = math.ceil(tonumber(first[2]) - clock()) end
if first[2] and due <= 0 then return {} end
for _, aside in ipairs(asides()) do
  local wait = aside_wait(aside)
  if wait == 0 then return {} end
  if wait then due = math.ceil(math.min(due < 0 and math.huge or due, wait / 1000000)) end
end
local woken = redis.call('XREVRANGE', wake, '+', '-', 'COUNT', 1)[1]
local last = cursor()
if #redis.call('XRANGE', stream, '(' .. last, '+', 'COUNT', 1) > 0 then return {} end
return {last, woken and woken[1] or '0-0', due}
