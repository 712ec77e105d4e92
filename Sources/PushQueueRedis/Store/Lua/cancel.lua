#!lua flags=allow-oom
-- Removes entries that wait or are delayed: of a campaign, or of some ids. Arguments: which part (`later`, `new`,
-- `pending`), where to go on, how many to look at, the campaign or nothing, then the ids. Returns where to go on, or
-- nothing at the end, the ids removed, the ids that go out, and how many entries were ever delayed.
--
-- What a worker has taken goes out, and what waits and is in doubt: a worker that died may have sent it. A delayed
-- entry is in doubt only if its campaign was paused.
--
-- A page also ends after `page_size` bytes: a plain XADD may have stored records of any size.
--
-- It looks at the entries one by one, in pages. An index from id to key would cost each entry about 100 bytes and
-- two writes, and would not know what a plain XADD stored. The parts come in this order because an entry moves in
-- it: a delayed one to the end of the stream, a new one to a worker or to a lane. Only a worker that puts one
-- off moves it back, which the last number tells.
-- uses: need_group, clock, fields, ids, progress, delay, letters, sizes, gate, cursor

local part, from, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local wanted, removed, held, space = {}, {}, {}, page_size
local campaign = ARGV[4]
for i = 5, #ARGV do wanted[ARGV[i]] = true end
need_group()

local function cancel_later()
  local page = redis.call('ZSCAN', later, from == '' and '0' or from, 'COUNT', limit)
  for i = 1, #page[2], 2 do
    local member = page[2][i]
    local id = string.match(member, '^(.*):%d+$')
    if wanted[id] or campaign ~= '' then
      local is_read, entry = pcall(cmsgpack.unpack, redis.call('HGET', delayed, member) or '')
      is_read = is_read and type(entry) == 'table'
      local p = is_read and parse(entry[2]) or parse('')
      local is_wanted = wanted[id] or (is_read and field(entry[1], 'campaign') == campaign)
      if is_wanted and p.before == 0 and p.doubts == 0 then
        if is_read then count_cancelled(entry[1], p) end
        redis.call('ZREM', later, member)
        redis.call('HDEL', delayed, member)
        removed[#removed + 1] = id
      elseif is_wanted then
        held[#held + 1] = id
      end
    end
  end
  return page[1] == '0' and '' or page[1]
end

local function id_of(fields, key) return string.lower(field(with_id(fields, key), 'id')) end
local function is_wanted(id, fields)
  return wanted[id] or (campaign ~= '' and field(fields, 'campaign') == campaign)
end
local function cancel_entry(key, fields)
  local id = id_of(fields, key)
  if not is_wanted(id, fields) then return end
  local p = progress_of(key)
  if p.doubts > 0 or p.before > 0 then
    held[#held + 1] = id
    return
  end
  count_cancelled(fields, p)
  redis.call('XACK', stream, group, key)
  redis.call('XDEL', stream, key)
  redis.call('HDEL', progress, key)
  removed[#removed + 1] = id
end

local function cancel_pending()
  local page = redis.call('XPENDING', stream, group, from == '' and '-' or '(' .. from, '+', limit)
  for _, pending in ipairs(page) do
    local entry = redis.call('XRANGE', stream, pending[1], pending[1])[1]
    if entry then
      space = space - size_of(entry[2])
      if pending[2] == released or pending[2] == urgent then
        cancel_entry(entry[1], entry[2])
      else
        local id = id_of(entry[2], entry[1])
        if is_wanted(id, entry[2]) then held[#held + 1] = id end
      end
    end
    if space <= 0 then return pending[1] end
  end
  return #page > 0 and page[#page][1] or ''
end

local function cancel_new()
  local last = cursor()
  if from ~= '' and before_id(last, from) then last = from end
  local left = limit
  while left > 0 and space > 0 do
    local page, owner = redis.call('XRANGE', stream, '(' .. last, '+', 'COUNT', 10), owners(last, 10)
    for _, entry in ipairs(page) do
      space = space - size_of(entry[2])
      if not owner[entry[1]] then cancel_entry(entry[1], entry[2]) end
    end
    if #page < 10 then return '' end
    left, last = left - 10, page[10][1]
  end
  return last
end

local parts = {later = cancel_later, new = cancel_new, pending = cancel_pending}
return {parts[part](), removed, held, redis.call('HGET', counts, 'delays') or '0'}
