#!lua flags=allow-oom
-- Whether a call was made in the last minute. Argument: its first id. A server without memory answers it, too. If
-- so, it raises `waits`, like `enqueue`.
-- uses: clock

local earlier = redis.call('ZSCORE', calls, ARGV[1])
if not earlier or clock() - earlier >= 60000 then return 0 end
redis.call('HINCRBY', counts, 'waits', 1)
return 1
