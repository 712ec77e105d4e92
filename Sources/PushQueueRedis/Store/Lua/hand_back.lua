#!lua flags=allow-oom
-- Gives entries back that a worker took on a server of which it did not know that it is another one. Arguments: the
-- worker, then the keys.
--
-- The new server may not know that another worker has such an entry in flight. If that one has tried to claim it in
-- the last 10 s, see `adopt`, it gets it. If not, it finds it released.
-- uses: need_group, clock, fields, ids, progress, delay, lane

need_group()
local given = 0
for i = 2, #ARGV do
  local key = ARGV[i]
  if #redis.call('XPENDING', stream, group, key, key, 1, ARGV[1]) > 0 then
    local note, p = redis.call('HGET', orphans, 'wanted ' .. key) or '', progress_of(key)
    local time, life, owner = string.match(note, '^(%d+) (%d+) (.+)$')
    if time and math.abs(clock() - tonumber(time)) <= 10000 then
      redis.call('XCLAIM', stream, group, owner, 0, key, 'JUSTID')
      p.life = tonumber(life)
    else
      give_back(key)
      p.life, given = 0, given + 1
    end
    keep(key, p)
  end
end
if given > 0 then wake_up() end
return given
