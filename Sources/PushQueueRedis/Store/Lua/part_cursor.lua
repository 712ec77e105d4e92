-- `cursor`: up to which key the group has read the stream. `owners`: who has entries behind a key that is not below it: those are
-- urgent, and were given to a consumer before the reading came to them. XREADGROUP would give them to whoever reads on.
--
-- `count` is for how many entries of the stream. A few more are asked for, because an entry that was deleted by hand is
-- still pending. Without urgent entries behind the cursor, nothing is looked up.

local function cursor()
  for _, info in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if info[2] == group then
      for i = 1, #info, 2 do
        if info[i] == 'last-delivered-id' then return info[i + 1] end
      end
    end
  end
  return '0-0'
end
local urgent_to = ''
local function owners(from, count)
  local found = {}
  if urgent_to == '' then urgent_to = redis.call('HGET', counts, 'urgent_to') end
  if not urgent_to then return found end
  for _, pending in ipairs(redis.call('XPENDING', stream, group, '(' .. from, '+', count + 16)) do
    found[pending[1]] = pending[2]
  end
  return found
end
