#!lua flags=no-writes
-- Tells which commands the user of the connection may not use. Arguments: the commands, each with its words, where
-- `KEY` is a key of the queue. Returns the missing ones, as ACL SETUSER names them.
--
-- A script without a right fails at that command, and what it wrote before stays: a settle would delete entries
-- and lose their outcomes. EVALSHA itself is refused without a right to the keys. A server without `acl_check_cmd`
-- is not asked.

local missing, seen = {}, {}
if not redis.acl_check_cmd then return missing end
for _, command in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(command, '%S+') do words[#words + 1] = word == 'KEY' and stream or word end
  local name = string.lower(words[1])
  if not seen[name] and not redis.acl_check_cmd(unpack(words)) then
    missing[#missing + 1], seen[name] = name, true
  end
end
return missing
