-- `size_of`: about how many bytes a record takes in a reply. `page_size`: at about how many a reply ends,
-- `take_size`: the same for new records, and `record_size`: how many a record may have. A client refuses a reply
-- of more than 64 MiB, so one record could stop the queue. `bury_huge`: makes a record a dead letter, with its
-- fields cut.
--
-- A field that is cut ends with dots, so that the letter cannot be read as an entry and put back.

local page_size, take_size, record_size = 8388608, 1048576, 4194304
local function size_of(fields)
  local n = 16 * #fields
  for i = 1, #fields do n = n + #fields[i] end
  return n
end
local function bury_huge(key, fields, letters)
  local kept = {}
  for i = 1, math.min(#with_id(fields, key), 100) do
    kept[i] = #fields[i] > 1000 and string.sub(fields[i], 1, 1000) .. '...' or fields[i]
  end
  if #kept < #fields then kept[#kept + 1], kept[#kept + 2] = 'cut', '...' end
  new_letter(letters, 'The record has more than 4 MiB. Its fields were cut.', '', kept)
  redis.call('XACK', stream, group, key)
  redis.call('XDEL', stream, key)
  redis.call('HDEL', progress, key)
end
