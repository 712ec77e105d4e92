#!lua flags=no-writes
-- The position behind the last outcome. Argument: `outcomes` or `feedback`. Returns nothing if there was none.
--
-- A settle with more rows than the list may have leaves it empty. Then it is what was removed last.

local list = ARGV[1] == 'feedback' and feedback or outcomes
local last = redis.call('XREVRANGE', list, '+', '-', 'COUNT', 1)[1]
return last and last[1] or redis.call('HGET', counts, ARGV[1] .. '_cut_to') or ''
