-- `found_entry`: what a worker gets of an entry, and why nothing of its campaign is taken. Without progress of any entry, nothing
-- is looked up.

local function found_entry(key, fields, has_progress)
  return {key, with_id(fields, key), has_progress and redis.call('HGET', progress, key) or '', gate(fields) or ''}
end
