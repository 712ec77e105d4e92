#!lua flags=no-writes
-- Counts the open tokens of campaigns in a page of the queue. Arguments: which part (`later`, `new`, `pending`), where to go
-- on, and how many entries to look at. Returns where to go on, or nothing at the end, and for each entry of a campaign its
-- name, `waiting`, `scheduled`, `retrying` or `taken`, and how many of its tokens have no outcome.
-- uses: clock, fields, ids, progress, delay, letters, sizes, gate, cursor, walk

local found = {}
local function count(_, fields, p, place)
  local campaign = field(fields, 'campaign')
  if not campaign then return end
  found[#found + 1], found[#found + 2], found[#found + 3] = campaign, place, open_tokens(fields, p)
end
return {walk(ARGV[1], ARGV[2], tonumber(ARGV[3]), count), found}
