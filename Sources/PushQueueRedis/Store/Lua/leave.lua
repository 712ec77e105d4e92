#!lua flags=allow-oom
-- Forgets a worker that has nothing. Argument: the worker. XGROUP DELCONSUMER alone would strand what it has.
-- uses: need_group

need_group()
if #redis.call('XPENDING', stream, group, '-', '+', 1, ARGV[1]) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', stream, group, ARGV[1])
redis.call('HDEL', workers, ARGV[1])
redis.call('HDEL', beats, ARGV[1])
redis.call('HDEL', counts, 'note ' .. ARGV[1])
return 1
