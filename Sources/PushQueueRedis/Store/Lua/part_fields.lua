-- `field`, `token_count`, `with_id` and `lane_of`: what a script needs to know of an entry's fields. Its lane is the name of the
-- consumer that has it while it waits.
--
-- It searches for spaces with `plain`, which is a search for bytes and ten times as fast as a pattern. An entry
-- that a producer stored without an id has one that is made of its key and of the queue's name, wherever it is
-- read.

local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then return fields[i + 1] end
  end
end
local function token_count(fields)
  local text, n, at = field(fields, 'tokens') or '', 0, 1
  while true do
    local gap = string.find(text, ' ', at, true)
    if (gap or #text + 1) > at then n = n + 1 end
    if not gap then return math.max(1, n) end
    at = gap + 1
  end
end
local function with_id(fields, key)
  if not field(fields, 'id') then
    local ms, seq = string.match(key, '^(%d+)-(%d+)$')
    local mark = redis.sha1hex(stream)
    fields[#fields + 1] = 'id'
    fields[#fields + 1] = string.format(
      '%012x%s%08x%s', tonumber(ms), string.sub(mark, 1, 4), tonumber(seq), string.sub(mark, 5, 12))
  end
  return fields
end
local function lane_of(fields) return field(fields, 'urgent') == '1' and urgent or released end
