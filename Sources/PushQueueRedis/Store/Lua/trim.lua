#!lua flags=allow-oom
-- Removes the oldest outcomes that count as read. Arguments: `outcomes` or `feedback`, the position up to which, or
-- nothing, and before which millisecond they were stored, or nothing. Returns how many, of up to 256 entries.
-- uses: ids, rows

local name, position, time = ARGV[1], ARGV[2], tonumber(ARGV[3])
local list, removed = name == 'feedback' and feedback or outcomes, 0
local read = redis.call('HGET', counts, name .. '_read') or '0-0/0'
local function covers(place, id, n)
  local last, part = string.match(place, '^([^/]+)/?(%d*)$')
  return before_id(id, last) or (id == last and (part == '' or tonumber(part) >= n))
end
for _ = 1, 256 do
  local entry = redis.call('XRANGE', list, '-', '+', 'COUNT', 1)[1]
  if not entry then return removed end
  local id, n = entry[1], rows_of(entry)
  local is_within = position == '' or covers(position, id, n)
  if not is_within or (time and split_id(id) >= time) or not covers(read, id, n) then return removed end
  redis.call('XDEL', list, id)
  redis.call('HINCRBY', counts, name .. '_cut', n)
  redis.call('HSET', counts, name .. '_cut_to', id)
  removed = removed + math.max(1, n)
end
return removed
