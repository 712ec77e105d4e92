extension StoreScript {
    /// Tells which commands the user of the connection may not use. Arguments: the commands, each with its words, where
    /// `KEY` is a key of the queue. Returns the missing ones, as ACL SETUSER names them.
    ///
    /// A script without a right fails at that command, and what it wrote before stays: a settle would delete entries
    /// and lose their outcomes. EVALSHA itself is refused without a right to the keys. A server without `acl_check_cmd`
    /// is not asked.
    static let rights = StoreScript(
        flags: "no-writes",
        """
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
        """)

    /// What a worker runs. Other programs may have a user with fewer rights.
    static let ofWorkers = [
        group, take, permit, offer, settle, release, handBack, beat, tip, heldKeys, heldEntries, reclaim, adopt, leave,
        note,
        limitOutcomes,
    ]

    /// The commands in these scripts.
    static let commandsOfWorkers =
        ["TIME", "XGROUP CREATE KEY", "XGROUP DELCONSUMER KEY", "XINFO GROUPS KEY", "XINFO STREAM KEY"]
        + ["XREADGROUP GROUP g w STREAMS KEY >"]
        + [
            "EXISTS", "EXPIRE", "HDEL", "HGET", "HGETALL", "HINCRBY", "HLEN", "HSET", "HSETNX", "XACK", "XADD",
            "XCLAIM", "XDEL", "XLEN", "XPENDING", "XRANGE", "XREVRANGE", "XSETID", "XTRIM", "ZADD", "ZCARD", "ZRANGE",
            "ZRANGEBYSCORE", "ZREM",
        ].map { "\($0) KEY" }
}
