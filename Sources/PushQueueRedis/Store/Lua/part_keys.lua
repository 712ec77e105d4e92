-- The names of the keys, of the consumer group, and of the consumers of what waits: what was released, and what is urgent.

local stream, later, delayed, progress, workers, outcomes, feedback, dead, counts = unpack(KEYS)
local wake, orphans, calls, beats, campaigns = unpack(KEYS, 10)
local group, released, urgent = 'workers', 'released', 'urgent'
