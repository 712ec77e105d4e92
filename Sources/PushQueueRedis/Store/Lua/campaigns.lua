#!lua flags=no-writes
-- Reads what is kept of all campaigns: pairs of a name and its text, and of a name with a word, such as `spring delivered`,
-- and how many outcomes have it.

return redis.call('HGETALL', campaigns)
