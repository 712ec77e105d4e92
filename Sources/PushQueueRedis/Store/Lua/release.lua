#!lua flags=allow-oom
-- Gives entries back to the consumer of their lane. Arguments: the worker, then the keys. What is not the worker's
-- any more stays where it is. What this life of a worker has offered is forgotten: nothing of it was sent.
-- uses: need_group, fields, ids, progress, delay, lane

need_group()
local given = 0
for i = 2, #ARGV do
  local key = ARGV[i]
  if #redis.call('XPENDING', stream, group, key, key, 1, ARGV[1]) > 0 then
    give_back(key)
    local p = progress_of(key)
    p.life = 0
    keep(key, p)
    given = given + 1
  end
end
if given > 0 then wake_up() end
return given
