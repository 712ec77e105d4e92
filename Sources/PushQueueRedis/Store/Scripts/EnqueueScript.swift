extension StoreScript {
    /// Adds entries, all or none. Arguments: how many entries the queue may have, then for each entry the milliseconds
    /// of its time or nothing, the number of its words, and its words. Returns 0 if they do not fit.
    ///
    /// It has no `allow-oom`: a server without memory refuses it before its first line.
    static let enqueue = StoreScript(
        using: [ScriptPrelude.clock, ScriptPrelude.fields, ScriptPrelude.delay],
        """
        local entries, at = {}, 2
        while at <= #ARGV do
          local n = tonumber(ARGV[at + 1])
          entries[#entries + 1] = {tonumber(ARGV[at]), at + 2, at + 1 + n}
          at = at + 2 + n
        end
        local stored = redis.call('XLEN', stream) + redis.call('ZCARD', later)
        if stored + #entries > tonumber(ARGV[1]) then return 0 end
        local now = clock()
        for _, entry in ipairs(entries) do
          local due, first, last = entry[1], entry[2], entry[3]
          if due and due > now then
            delay({unpack(ARGV, first, last)}, due, '')
          else
            redis.call('XADD', stream, '*', unpack(ARGV, first, last))
          end
        end
        return 1
        """)
}
