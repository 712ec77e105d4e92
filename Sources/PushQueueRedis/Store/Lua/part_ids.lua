-- `before_id`: whether one id of a stream is lower than another.

local function split_id(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)')
  return tonumber(ms or 0), tonumber(seq or 0)
end
local function before_id(one, other)
  local ms, seq = split_id(one)
  local other_ms, other_seq = split_id(other)
  return ms < other_ms or (ms == other_ms and seq < other_seq)
end
