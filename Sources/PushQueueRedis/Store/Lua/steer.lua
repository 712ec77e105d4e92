#!lua flags=allow-oom
-- Changes how the queue is steered. Arguments: `paused` or `rate`, and the value, or nothing to remove it. Returns what
-- `steering` does.

if ARGV[2] == '' then
  redis.call('HDEL', counts, ARGV[1])
else
  redis.call('HSET', counts, ARGV[1], ARGV[2])
end
return {redis.call('HGET', counts, 'paused') or '', redis.call('HGET', counts, 'rate') or ''}
