#!lua flags=allow-oom
-- Takes over what a dead worker has. Arguments: the dead one, its counter, the worker, how many entries at most,
-- up to how many tokens an entry that was taken counts as offered, and the limit of dead letters. Returns 1 if the
-- dead one has more, else 0, and the entries. Of a page that has only deleted or huge ones, nothing is returned.
--
-- What a paused campaign has of it is put aside with its doubts, and what a cancelled one has and is not in doubt is removed.
-- Neither is returned.
--
-- What an earlier worker had offered counts, too: it may be why this one died before it offered more.
--
-- XCLAIM returns nothing for an entry that was deleted by hand, and forgets it.
-- uses: need_group, fields, progress, delay, letters, sizes, gate, found

local lost, worker = ARGV[1], ARGV[3]
need_group()
if (redis.call('HGET', workers, lost) or '0') ~= ARGV[2] or lost == worker then return {0, {}} end
local taken, space = {}, page_size
for _, pending in ipairs(redis.call('XPENDING', stream, group, '-', '+', ARGV[4], lost)) do
  if space <= 0 then break end
  local key = pending[1]
  local entry = redis.call('XCLAIM', stream, group, worker, 0, key)[1]
  if entry and size_of(entry[2]) > record_size then
    bury_huge(key, entry[2], ARGV[6])
  elseif entry then
    space = space - size_of(entry[2])
    local n, p = token_count(entry[2]), progress_of(key)
    if n <= tonumber(ARGV[5]) then p.life = math.max(p.life, n) end
    p.before = math.max(p.before, p.life)
    if p.before > 0 then
      p.doubts = p.doubts + 1
      p.life = 0
      keep(key, p)
    end
    if not hold_back(key, entry[2], true) then taken[#taken + 1] = found_entry(key, entry[2], true) end
  else
    redis.call('HDEL', progress, key)
  end
end
if #taken > 0 then redis.call('HSETNX', workers, worker, 0) end
if #redis.call('XPENDING', stream, group, '-', '+', 1, lost) > 0 then return {1, taken} end
redis.call('XGROUP', 'DELCONSUMER', stream, group, lost)
redis.call('HDEL', workers, lost)
redis.call('HDEL', beats, lost)
redis.call('HDEL', counts, 'note ' .. lost)
return {0, taken}
