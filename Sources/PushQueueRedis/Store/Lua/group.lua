#!lua flags=allow-oom
-- Makes the stream and its consumer group, from the first entry on. Returns 1 if there was none.
--
-- It notes where this queue begins. An entry with a lower key that is not there was lost with an earlier queue,
-- for example by FLUSHALL: rows that workers still bring of it are true, and no other worker can bring them.
--
-- XSETID refuses an id that is lower than one that the stream has had, so an empty stream begins after that, also
-- if the clock is behind. What can fail comes before the group.
-- uses: check_types, clock, ids

check_types()
local exists, begin, ms = redis.call('EXISTS', stream) == 1, nil, clock() + 1
if exists then
  for _, info in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if info[2] == group then return 0 end
  end
  local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  begin = first and first[1]
end
if exists and not begin then
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then ms = math.max(ms, split_id(info[i + 1]) + 1) end
  end
end
if not begin then
  begin = string.format('%.0f-0', ms)
  if exists then redis.call('XSETID', stream, begin) end
end
redis.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
if not exists then redis.call('XSETID', stream, begin) end
redis.call('HSET', counts, 'begin', begin)
return 1
