#!lua flags=allow-oom
-- Removes entries that wait or are delayed: of a campaign, or of some ids. Arguments: which part (`later`, `new`,
-- `pending`), where to go on, how many to look at, the campaign or nothing, then the ids. Returns where to go on, or
-- nothing at the end, the ids removed, the ids that go out, and how many entries were ever delayed.
--
-- What a worker has taken goes out, and what waits and is in doubt: a worker that died may have sent it. A delayed
-- entry is in doubt only if its campaign was paused.
--
-- It looks at the entries one by one, see `walk`. An index from id to key would cost each entry about 100 bytes and two writes, and
-- would not know what a plain XADD stored. Only a worker that puts an entry off moves it to an earlier part, which the last number
-- tells.
-- uses: clock, fields, ids, progress, delay, letters, sizes, gate, cursor, walk, pace, rate

local part, from, limit, campaign = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local wanted, removed, held = {}, {}, {}
for i = 5, #ARGV do wanted[ARGV[i]] = true end

local function cancel(key, fields, p, place)
  local id = part == 'later' and string.match(key, '^(.*):%d+$') or string.lower(field(with_id(fields, key), 'id'))
  if not wanted[id] and (campaign == '' or field(fields, 'campaign') ~= campaign) then return end
  if place == 'taken' or p.doubts > 0 or p.before > 0 then
    held[#held + 1] = id
    return
  end
  count_cancelled(fields, p)
  if part == 'later' then
    redis.call('ZREM', later, key)
    redis.call('HDEL', delayed, key)
  else
    redis.call('XACK', stream, group, key)
    redis.call('XDEL', stream, key)
    redis.call('HDEL', progress, key)
  end
  removed[#removed + 1] = id
end
local following = walk(part, from, limit, cancel)
if campaign ~= '' and part == 'pending' and following == '' then
  for _, lane in ipairs({urgent, released}) do forget_aside(lane .. ' ' .. campaign) end
end
return {following, removed, held, redis.call('HGET', counts, 'delays') or '0'}
