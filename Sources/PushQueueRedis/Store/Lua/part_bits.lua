-- A set of tokens in the text form of `TokenSet`: hexadecimal digits, the lowest position in the last one.
--
-- As a table it has one number from 0 to 15 for each digit, the last digit first.

local function bits_of(text)
  local digits, n = {}, #text
  for i = 1, n do digits[i] = tonumber(string.sub(text, n + 1 - i, n + 1 - i), 16) end
  return digits
end
local function add_bit(digits, index)
  local at, mask = math.floor(index / 4) + 1, bit.lshift(1, index % 4)
  for i = #digits + 1, at do digits[i] = 0 end
  if bit.band(digits[at], mask) ~= 0 then return false end
  digits[at] = bit.bor(digits[at], mask)
  return true
end
local function bits_text(digits)
  local text, n = {}, #digits
  for i = 1, n do text[i] = string.format('%x', digits[n + 1 - i]) end
  return (string.gsub(table.concat(text), '^0+', ''))
end
