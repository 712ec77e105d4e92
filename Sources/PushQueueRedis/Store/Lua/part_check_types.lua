-- `check_types`: ends the script with WRONGTYPE if a key of the queue is used by something else. A script that
-- fails midway is not undone, so this comes before its first write.

local function check_types()
  for _, list in ipairs({outcomes, feedback, dead, wake}) do redis.call('XLEN', list) end
  for _, hash in ipairs({delayed, progress, workers, counts, orphans, beats, campaigns}) do redis.call('HLEN', hash) end
  redis.call('ZCARD', later)
  redis.call('ZCARD', calls)
end
