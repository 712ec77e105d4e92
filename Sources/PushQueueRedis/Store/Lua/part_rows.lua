-- `rows_of`: how many rows an entry of a list of outcomes has; none if another program stored it without their
-- number. An error there would lose the outcomes of a settle.

local function rows_of(entry)
  local n = tonumber(entry[2][2])
  return n and n >= 0 and n <= 1e6 and math.floor(n) == n and n or 0
end
