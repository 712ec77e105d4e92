#!lua flags=allow-oom
-- Stores how far entries are offered. Arguments: the worker, then a key and an end for each. Returns 0, and stores
-- nothing, if one of them is not the worker's.
-- uses: need_group, progress

need_group()
for i = 2, #ARGV, 2 do
  local pending = redis.call('XPENDING', stream, group, ARGV[i], ARGV[i], 1, ARGV[1])
  if #pending == 0 then return 0 end
end
for i = 2, #ARGV, 2 do
  local p = progress_of(ARGV[i])
  p.life = math.max(p.life, tonumber(ARGV[i + 1]))
  keep(ARGV[i], p)
end
return 1
