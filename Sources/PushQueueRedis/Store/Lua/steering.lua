#!lua flags=no-writes
-- Tells how the queue is steered: `1` if it is paused, and its rate as `PER_SECOND BURST`. What is not set is nothing.

return {redis.call('HGET', counts, 'paused') or '', redis.call('HGET', counts, 'rate') or ''}
