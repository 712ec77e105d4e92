-- `delay`: puts an entry into the delayed set, and returns its member, and `wake_up`: ends the wait of workers. `can_delay`: whether it
-- has few enough fields. A readable entry has; those of others would be too many results for Lua when they are
-- due.
--
-- The member begins with the entry's id, so that it can be cancelled, and ends with a number, because an id may be
-- in the queue more than once.

local function wake_up() redis.call('XADD', wake, 'MAXLEN', '1', '*', 'w', '1') end
local function can_delay(fields) return #fields <= 100 end
local function delay(fields, due, kept)
  local member = string.lower(field(fields, 'id')) .. ':' .. redis.call('HINCRBY', counts, 'delays', 1)
  redis.call('HSET', delayed, member, cmsgpack.pack({fields, kept}))
  redis.call('ZADD', later, due, member)
  if redis.call('ZRANGE', later, 0, 0)[1] == member then wake_up() end
  return member
end
