extension StoreScript {
    /// Reads a list of outcomes. Arguments: `outcomes` or `feedback`, the position, how many rows are wanted. Returns
    /// the entries of the list from there, each with its id and fields, until they have so many rows.
    ///
    /// What lies before the position counts as read, also when it is removed. A position is the id of an entry, and
    /// after `/` how many of its rows were read, if not all.
    static let outcomes = StoreScript(
        flags: "allow-oom", using: [ScriptPrelude.ids],
        #"""
        local name, position, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
        local list = name == 'feedback' and feedback or outcomes
        local from, skip = '-', 0
        if position ~= '' then
          local id, part = string.match(position, '^([^/]+)/?(%d*)$')
          from, skip = part == '' and '(' .. id or id, tonumber(part) or 0
          local read = redis.call('HGET', counts, name .. '_read')
          local old, old_part = string.match(read or '0-0', '^([^/]+)/?(%d*)$')
          local later_part = id == old and old_part ~= '' and (part == '' or tonumber(part) > tonumber(old_part))
          if before_id(old, id) or later_part then redis.call('HSET', counts, name .. '_read', position) end
        end
        local found, n = {}, -skip
        while n < limit do
          local page = redis.call('XRANGE', list, from, '+', 'COUNT', 8)
          for _, entry in ipairs(page) do
            if n < limit then
              found[#found + 1] = entry
              n = n + tonumber(entry[2][2])
            end
          end
          if #page < 8 then break end
          from = '(' .. page[#page][1]
        end
        return found
        """#)

    /// Reads dead letters. Arguments: after which id, how many. Returns fewer if they are large, but at least one.
    static let deadLetters = StoreScript(
        flags: "no-writes", using: [ScriptPrelude.fields, ScriptPrelude.sizes],
        """
        local page, space, from = {}, page_size, ARGV[1] == '' and '-' or '(' .. ARGV[1]
        while #page < tonumber(ARGV[2]) and space > 0 do
          local letter = redis.call('XRANGE', dead, from, '+', 'COUNT', 1)[1]
          if not letter then break end
          page[#page + 1], from, space = letter, '(' .. letter[1], space - size_of(letter[2])
        end
        return page
        """)

    /// Puts dead letters back. Arguments: their ids in the dead-letter stream. Returns those that were there.
    static let requeue = StoreScript(
        flags: "allow-oom", using: [ScriptPrelude.progress],
        """
        local put = {}
        for _, id in ipairs(ARGV) do
          local letter = redis.call('XRANGE', dead, id, id)[1]
          if letter then
            redis.call('XDEL', dead, id)
            local key = redis.call('XADD', stream, '*', unpack(letter[2], 5))
            keep(key, {before = 0, life = 0, doubts = 0, settled = letter[2][4]})
            put[#put + 1] = id
          end
        end
        return put
        """)
}
