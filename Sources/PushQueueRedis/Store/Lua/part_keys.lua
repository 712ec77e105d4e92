-- The names of the keys, of the consumer group, and of the consumer of what was released.

local stream, later, delayed, progress, workers, outcomes, feedback, dead, counts = unpack(KEYS)
local wake, orphans, calls, beats, campaigns = unpack(KEYS, 10)
local group, released = 'workers', 'released'
