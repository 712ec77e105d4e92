-- `need_group`: ends the script with NOGROUP if the group or the stream is gone.

local function need_group() redis.call('XPENDING', stream, group, '-', '+', 0) end
