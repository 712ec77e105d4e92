-- `new_letter`: adds a dead letter, and removes the oldest beyond `limit`, which are counted. Its first two fields
-- are the reason and the set of tokens that APNs answered.

local function new_letter(limit, reason, settled, fields)
  redis.call('XADD', dead, '*', 'reason', reason, 'settled', settled, unpack(fields))
  local cut = redis.call('XTRIM', dead, 'MAXLEN', limit)
  if cut > 0 then redis.call('HINCRBY', counts, 'dead_cut', cut) end
end
