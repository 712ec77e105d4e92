#!lua flags=no-writes
-- Counts the open tokens of campaigns in a page of the queue. Arguments: which part (`later`, `new`, `pending`), where to go
-- on, and how many entries to look at. Returns where to go on, or nothing at the end, and for each entry of a campaign its
-- name, `waiting`, `scheduled`, `retrying` or `taken`, and how many of its tokens have no outcome.
--
-- A page also ends after `page_size` bytes.
-- uses: clock, fields, ids, progress, delay, letters, sizes, gate

local part, from, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local found, space, now = {}, page_size, clock()
local has_group = not redis.pcall('XPENDING', stream, group, '-', '+', 1).err

local function note(fields, place, p)
  space = space - size_of(fields)
  local campaign = field(fields, 'campaign')
  if not campaign then return end
  found[#found + 1], found[#found + 2], found[#found + 3] = campaign, place, open_tokens(fields, p)
end

local function count_later()
  local page = redis.call('ZSCAN', later, from == '' and '0' or from, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local stored = redis.call('HGET', delayed, page[2][i])
    local is_read, entry = pcall(cmsgpack.unpack, stored or '')
    if is_read and type(entry) == 'table' then
      local p = parse(entry[2])
      local place = p.retries > 0 and 'retrying' or 'scheduled'
      local due = tonumber(page[2][i + 1])
      note(entry[1], (due <= now or due >= aside) and 'waiting' or place, p)
    end
  end
  return page[1] == '0' and '' or page[1]
end

local function count_pending()
  local page = has_group and redis.call('XPENDING', stream, group, from == '' and '-' or '(' .. from, '+', limit) or {}
  for _, pending in ipairs(page) do
    local entry = redis.call('XRANGE', stream, pending[1], pending[1])[1]
    if entry then note(entry[2], pending[2] == released and 'waiting' or 'taken', progress_of(entry[1])) end
    if space <= 0 then return pending[1] end
  end
  return #page > 0 and page[#page][1] or ''
end

local function count_new()
  local last = '0-0'
  for _, info in ipairs(has_group and redis.call('XINFO', 'GROUPS', stream) or {}) do
    for i = 1, #info, 2 do
      if info[2] == group and info[i] == 'last-delivered-id' then last = info[i + 1] end
    end
  end
  if from ~= '' and before_id(last, from) then last = from end
  local left = limit
  while left > 0 and space > 0 do
    local page = redis.call('XRANGE', stream, '(' .. last, '+', 'COUNT', 10)
    for _, entry in ipairs(page) do note(entry[2], 'waiting', progress_of(entry[1])) end
    if #page < 10 then return '' end
    left, last = left - 10, page[10][1]
  end
  return last
end

local parts = {later = count_later, new = count_new, pending = count_pending}
return {parts[part](), found}
