#!lua flags=allow-oom
-- Makes entries due that were put aside because their campaign was paused, if one went on since. Arguments: how many at most.
-- Returns how many.
-- uses: fields, delay, progress, gate, unpark

return unpark(tonumber(ARGV[1]))
