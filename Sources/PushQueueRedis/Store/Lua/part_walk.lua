-- `walk`: looks at a page of the entries that are not dead: those of a part (`later`, `new`, `pending`), from where an earlier page
-- ended. It calls `look` with an entry's key, its fields, what is known of it, its place (`waiting`, `scheduled`, `retrying`,
-- `taken`), and when it is due, or who has it. Returns where the next page begins, or nothing at the end.
--
-- A page also ends after `page_size` bytes. The parts come in this order because an entry moves in it. A delayed entry that cannot
-- be read is passed: it becomes a dead letter when it is due.

local function walk(part, from, limit, look)
  local now, space = clock(), page_size
  local has_progress = redis.call('EXISTS', progress) == 1
  local function known(key) return has_progress and progress_of(key) or parse('') end
  local has_group = not redis.pcall('XPENDING', stream, group, '-', '+', 1).err
  local function see(key, fields, p, place, detail)
    space = space - size_of(fields)
    look(key, fields, p, place, detail)
  end
  if part == 'later' then
    local page = redis.call('ZSCAN', later, from == '' and '0' or from, 'COUNT', limit)
    for i = 1, #page[2], 2 do
      local is_read, entry = pcall(cmsgpack.unpack, redis.call('HGET', delayed, page[2][i]) or '')
      if is_read and type(entry) == 'table' then
        local p, due = parse(entry[2]), tonumber(page[2][i + 1])
        local place = p.retries > 0 and 'retrying' or 'scheduled'
        see(page[2][i], entry[1], p, (due <= now or due >= aside) and 'waiting' or place, string.format('%.0f', due))
      end
    end
    return page[1] == '0' and '' or page[1]
  elseif part == 'pending' then
    local page = has_group and redis.call('XPENDING', stream, group, from == '' and '-' or '(' .. from, '+', limit) or {}
    for _, pending in ipairs(page) do
      local entry = redis.call('XRANGE', stream, pending[1], pending[1])[1]
      local place = waits_with(pending[2]) and 'waiting' or 'taken'
      if entry then see(entry[1], entry[2], known(entry[1]), place, pending[2]) end
      if space <= 0 then return pending[1] end
    end
    return #page > 0 and page[#page][1] or ''
  end
  local last = has_group and cursor() or '0-0'
  if from ~= '' and before_id(last, from) then last = from end
  local left = limit
  while left > 0 and space > 0 do
    local page = redis.call('XRANGE', stream, '(' .. last, '+', 'COUNT', 10)
    local owner = has_group and owners(last, 10) or {}
    for _, entry in ipairs(page) do
      if not owner[entry[1]] then see(entry[1], entry[2], known(entry[1]), 'waiting', '') end
    end
    if #page < 10 then return '' end
    left, last = left - 10, page[10][1]
  end
  return last
end
