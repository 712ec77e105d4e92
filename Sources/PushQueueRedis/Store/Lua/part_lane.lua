-- The lanes. `overtake`: gives an urgent entry that was just added to the consumer `urgent`, or to another one, so that it need not
-- wait for what is before it in the stream. `urgent_to` is the key of the last one: up to there, see `owners`. `give_back`: gives
-- an entry that a worker has back to its lane.

local function overtake(key, consumer)
  redis.call('XCLAIM', stream, group, consumer or urgent, 0, key, 'FORCE', 'JUSTID')
  local last = redis.call('HGET', counts, 'urgent_to')
  if not last or before_id(last, key) then redis.call('HSET', counts, 'urgent_to', key) end
end
local function give_back(key)
  local entry = redis.call('XRANGE', stream, key, key)[1]
  redis.call('XCLAIM', stream, group, entry and lane_of(entry[2]) or released, 0, key, 'JUSTID')
end
