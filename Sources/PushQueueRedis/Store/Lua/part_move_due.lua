-- `move_due`: puts delayed entries whose time has come at the end of the stream, or into the urgent lane, at most `limit` and
-- about 1 MiB, and at least one.
--
-- An entry leaves the delayed ones after it was added. One that cannot be read is buried with its bytes, so that
-- it does not stop the others.

local function add_delayed(stored)
  local entry = cmsgpack.unpack(stored)
  local key = redis.call('XADD', stream, '*', unpack(entry[1]))
  keep(key, parse(entry[2]))
  if lane_of(entry[1]) == urgent then overtake(key) end
end
local function move_due(now, limit, letters)
  local space = 1048576
  local due = redis.call('ZRANGEBYSCORE', later, '-inf', now, 'LIMIT', 0, limit)
  for _, member in ipairs(due) do
    if space <= 0 then return end
    local stored = redis.call('HGET', delayed, member)
    space = space - #(stored or '')
    if stored and not pcall(add_delayed, stored) then
      new_letter(letters, 'The delayed entry could not be read back.', '', {'stored', stored})
    end
    redis.call('ZREM', later, member)
    redis.call('HDEL', delayed, member)
  end
end
