#!lua flags=allow-oom
-- Puts dead letters back. Arguments: their ids in the dead-letter stream. Returns those that were there.
--
-- A letter is removed when its entry is there, so that a failure loses none.
-- uses: need_group, check_types, fields, ids, progress, lane

need_group()
check_types()
local put = {}
for _, id in ipairs(ARGV) do
  local letter = redis.call('XRANGE', dead, id, id)[1]
  if letter and #letter[2] > 5 then
    local key, p = redis.call('XADD', stream, '*', unpack(letter[2], 5)), parse('')
    p.settled = letter[2][4]
    keep(key, p)
    if lane_of(letter[2]) == urgent then overtake(key) end
    redis.call('XDEL', dead, id)
    put[#put + 1] = id
  end
end
return put
