-- `ahead_of`: by how many nanoseconds an instant that is stored lies ahead of now, at most `most`. `text_ahead`: the text of an
-- instant that lies ahead. Both are for the rule of `QueueRate`.
--
-- Nanoseconds since 1970 do not fit into Lua's numbers, so an instant is kept as its second and the nanoseconds in it. One that
-- lies further ahead was stored by a clock that was ahead: it counts as that far ahead.

local pace_time = redis.call('TIME')
local pace_second, pace_nanosecond = tonumber(pace_time[1]), tonumber(pace_time[2]) * 1000
local function ahead_of(kept, most)
  local second, nanosecond = string.match(kept or '', '^(%d+) (%d+)$')
  local ahead = ((second or 0) - pace_second) * 1000000000 + (nanosecond or 0) - pace_nanosecond
  return math.min(math.max(0, ahead), most)
end
local function text_ahead(ahead)
  local rest = pace_nanosecond + math.floor(ahead)
  local seconds = math.floor(rest / 1000000000)
  return string.format('%.0f %.0f', pace_second + seconds, rest - seconds * 1000000000)
end
