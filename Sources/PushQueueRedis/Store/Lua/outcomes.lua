#!lua flags=allow-oom
-- Reads a list of outcomes. Arguments: `outcomes` or `feedback`, the position, how many rows are wanted, and `1`
-- if what lies before the position counts as read from now on. Returns the entries of the list from there, each
-- with its id and fields, until they have this many rows or `page_bytes`.
--
-- What counts as read stays so when it is removed. A position is the id of an entry, and after `/` how many of its
-- rows were read, if not all.
--
-- A position ahead of the list and of the clock is not of this list: rows to come would lie before it, and never
-- be read. It counts as the beginning. One ahead of the list alone is of rows that were lost in a failover, and what
-- comes lies behind it: from the beginning, all rows would be read twice.
-- uses: ids, clock, rows

local name, position, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local list = name == 'feedback' and feedback or outcomes
local from, start, part = '-', string.match(position, '^([^/]*)/?(%d*)$')
local function is_ahead()
  if split_id(start) < clock() then return false end
  local last = redis.call('XREVRANGE', list, '+', '-', 'COUNT', 1)[1]
  return before_id(last and last[1] or redis.call('HGET', counts, name .. '_cut_to') or '0-0', start)
end
local function mark()
  local old, old_part = string.match(redis.call('HGET', counts, name .. '_read') or '0-0', '^([^/]+)/?(%d*)$')
  local later_part = start == old and old_part ~= '' and (part == '' or tonumber(part) > tonumber(old_part))
  if before_id(old, start) or later_part then redis.call('HSET', counts, name .. '_read', position) end
end
if position ~= '' and not is_ahead() then
  from = part == '' and '(' .. start or start
  if ARGV[4] == '1' then mark() end
end
-- A client takes replies of 64 MiB.
local found, left, space = {}, limit, 8 * 1024 * 1024
while left > 0 and space > 0 do
  local page = redis.call('XRANGE', list, from, '+', 'COUNT', 8)
  for _, entry in ipairs(page) do
    if left > 0 and space > 0 then
      found[#found + 1] = entry
      local before = entry[1] == start and tonumber(part) or 0
      left, space = left - math.max(0, rows_of(entry) - before), space - #(entry[2][4] or '')
    end
  end
  if #page < 8 then return found end
  from = '(' .. page[#page][1]
end
return found
