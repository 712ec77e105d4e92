#!lua flags=no-writes
-- Reads what is kept of a campaign. Argument: its name. Returns the text, or nothing.

return redis.call('HGET', campaigns, ARGV[1]) or ''
