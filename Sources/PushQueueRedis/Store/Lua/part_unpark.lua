-- `unpark`: makes entries due that were put aside because their campaign was paused, if one went on since, in the order in which
-- they were, and at most `limit`. Returns how many. What is paused still is put aside again when it is met.
--
-- `unpark_to` is up to which time: what is put aside later comes after it. It stays until all are due, so that whoever looks
-- next goes on where a process stopped that died.

local function unpark(limit)
  local last = redis.call('HGET', counts, 'unpark_to')
  if not last then return 0 end
  local found = redis.call('ZRANGEBYSCORE', later, aside, last, 'WITHSCORES', 'LIMIT', 0, limit)
  for i = 1, #found, 2 do redis.call('ZADD', later, tonumber(found[i + 1]) - aside, found[i]) end
  if #found < 2 * limit then redis.call('HDEL', counts, 'unpark_to') end
  if #found > 0 then wake_up() end
  return #found / 2
end
