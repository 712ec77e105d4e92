#!lua flags=no-writes
-- Why nothing of campaigns is taken. Arguments: their names. Returns a word for each, or nothing.

local holds = {}
for i = 1, #ARGV do holds[i] = redis.call('HGET', campaigns, ARGV[i] .. ' hold') or '' end
return holds
