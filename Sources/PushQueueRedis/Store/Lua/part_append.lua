-- `append`: adds rows to a list of outcomes, and cuts its oldest rows beyond `limit`.
--
-- Rows are counted, not entries of the stream: one entry has the rows of one settle. `NAME` counts what was ever
-- added, `NAME_cut` what was removed, up to the id `NAME_cut_to`, `NAME_unread` what was removed before a reader
-- asked for what follows it. `mark` names the call that adds them. It returns the id of the rows in the list, or
-- nothing.

local function unread_of(name, id, n)
  local position = redis.call('HGET', counts, name .. '_read')
  if not position then return n end
  local read, part = string.match(position, '^([^/]+)/?(%d*)$')
  if before_id(id, read) then return 0 end
  if before_id(read, id) then return n end
  if part == '' then return 0 end
  return math.max(0, n - tonumber(part))
end
local function cut(list, name, over, most)
  for _ = 1, most do
    local entry = over > 0 and redis.call('XRANGE', list, '-', '+', 'COUNT', 1)[1]
    if not entry then return end
    local n = rows_of(entry)
    redis.call('XDEL', list, entry[1])
    redis.call('HINCRBY', counts, name .. '_cut', n)
    redis.call('HSET', counts, name .. '_cut_to', entry[1])
    redis.call('HINCRBY', counts, name .. '_unread', unread_of(name, entry[1], n))
    over = over - n
  end
end
local function append(list, name, rows, n, limit, mark)
  if n == 0 then return '' end
  local id = redis.call('XADD', list, '*', 'n', n, 'rows', table.concat(rows, '\n'), 'call', mark)
  local total = redis.call('HINCRBY', counts, name, n)
  -- As many as were added, because those that are cut may have one row each.
  local was_cut = tonumber(redis.call('HGET', counts, name .. '_cut') or 0)
  cut(list, name, total - was_cut - limit, math.max(16, n))
  return id
end
