-- The names of the keys, of the consumer group, and of the consumers of what waits: what was released, and what is urgent. What
-- waits for the rate of its campaign has consumers whose names begin with these words, such as `released spring`. `waits_with`:
-- whether what a consumer has waits.

local stream, later, delayed, progress, workers, outcomes, feedback, dead, counts = unpack(KEYS)
local wake, orphans, calls, beats, campaigns = unpack(KEYS, 10)
local group, released, urgent = 'workers', 'released', 'urgent'
local function waits_with(consumer)
  local lane = string.match(consumer, '^[^ ]*')
  return lane == released or lane == urgent
end
