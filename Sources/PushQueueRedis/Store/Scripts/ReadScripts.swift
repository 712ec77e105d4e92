extension StoreScript {
    /// Reads a list of outcomes. Arguments: `outcomes` or `feedback`, the position, how many rows are wanted, and `1`
    /// if what lies before the position counts as read from now on. Returns the entries of the list from there, each
    /// with its id and fields, until they have this many rows or `page_bytes`.
    ///
    /// What counts as read stays so when it is removed. A position is the id of an entry, and after `/` how many of its
    /// rows were read, if not all.
    ///
    /// A position ahead of the list and of the clock is not of this list: rows to come would lie before it, and never
    /// be read. It counts as the beginning. One ahead of the list alone is of rows that were lost in a failover, and what
    /// comes lies behind it: from the beginning, all rows would be read twice.
    static let outcomes = StoreScript(
        flags: "allow-oom", using: [ScriptPrelude.ids, ScriptPrelude.clock, ScriptPrelude.rows],
        #"""
        local name, position, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
        local list = name == 'feedback' and feedback or outcomes
        local from, start, part = '-', string.match(position, '^([^/]*)/?(%d*)$')
        local function is_ahead()
          if split_id(start) < clock() then return false end
          local last = redis.call('XREVRANGE', list, '+', '-', 'COUNT', 1)[1]
          return before_id(last and last[1] or redis.call('HGET', counts, name .. '_cut_to') or '0-0', start)
        end
        local function mark()
          local old, old_part = string.match(redis.call('HGET', counts, name .. '_read') or '0-0', '^([^/]+)/?(%d*)$')
          local later_part = start == old and old_part ~= '' and (part == '' or tonumber(part) > tonumber(old_part))
          if before_id(old, start) or later_part then redis.call('HSET', counts, name .. '_read', position) end
        end
        if position ~= '' and not is_ahead() then
          from = part == '' and '(' .. start or start
          if ARGV[4] == '1' then mark() end
        end
        -- A client takes replies of 64 MiB.
        local found, left, space = {}, limit, 8 * 1024 * 1024
        while left > 0 and space > 0 do
          local page = redis.call('XRANGE', list, from, '+', 'COUNT', 8)
          for _, entry in ipairs(page) do
            if left > 0 and space > 0 then
              found[#found + 1] = entry
              local before = entry[1] == start and tonumber(part) or 0
              left, space = left - math.max(0, rows_of(entry) - before), space - #(entry[2][4] or '')
            end
          end
          if #page < 8 then return found end
          from = '(' .. page[#page][1]
        end
        return found
        """#)

    /// Removes the oldest outcomes that count as read. Arguments: `outcomes` or `feedback`, the position up to which, or
    /// nothing, and before which millisecond they were stored, or nothing. Returns how many, of up to 256 entries.
    static let trim = StoreScript(
        flags: "allow-oom", using: [ScriptPrelude.ids, ScriptPrelude.rows],
        #"""
        local name, position, time = ARGV[1], ARGV[2], tonumber(ARGV[3])
        local list, removed = name == 'feedback' and feedback or outcomes, 0
        local read = redis.call('HGET', counts, name .. '_read') or '0-0/0'
        local function covers(place, id, n)
          local last, part = string.match(place, '^([^/]+)/?(%d*)$')
          return before_id(id, last) or (id == last and (part == '' or tonumber(part) >= n))
        end
        for _ = 1, 256 do
          local entry = redis.call('XRANGE', list, '-', '+', 'COUNT', 1)[1]
          if not entry then return removed end
          local id, n = entry[1], rows_of(entry)
          local is_within = position == '' or covers(position, id, n)
          if not is_within or (time and split_id(id) >= time) or not covers(read, id, n) then return removed end
          redis.call('XDEL', list, id)
          redis.call('HINCRBY', counts, name .. '_cut', n)
          redis.call('HSET', counts, name .. '_cut_to', id)
          removed = removed + math.max(1, n)
        end
        return removed
        """#)

    /// Stores how many outcomes each list keeps. Argument: the number.
    static let limitOutcomes = StoreScript(
        flags: "allow-oom",
        """
        if redis.call('HGET', counts, 'max_outcomes') ~= ARGV[1] then
          redis.call('HSET', counts, 'max_outcomes', ARGV[1])
        end
        """)

    /// The position behind the last outcome. Argument: `outcomes` or `feedback`. Returns nothing if there was none.
    ///
    /// A settle with more rows than the list may have leaves it empty. Then it is what was removed last.
    static let lastPosition = StoreScript(
        flags: "no-writes",
        """
        local list = ARGV[1] == 'feedback' and feedback or outcomes
        local last = redis.call('XREVRANGE', list, '+', '-', 'COUNT', 1)[1]
        return last and last[1] or redis.call('HGET', counts, ARGV[1] .. '_cut_to') or ''
        """)

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
    ///
    /// A letter is removed when its entry is there, so that a failure loses none.
    static let requeue = StoreScript(
        flags: "allow-oom", using: [ScriptPrelude.checkTypes, ScriptPrelude.progress],
        """
        check_types()
        local put = {}
        for _, id in ipairs(ARGV) do
          local letter = redis.call('XRANGE', dead, id, id)[1]
          if letter and #letter[2] > 5 then
            local key, p = redis.call('XADD', stream, '*', unpack(letter[2], 5)), parse('')
            p.settled = letter[2][4]
            keep(key, p)
            redis.call('XDEL', dead, id)
            put[#put + 1] = id
          end
        end
        return put
        """)

    /// Removes dead letters. Arguments: their ids. Returns those that were there.
    static let discard = StoreScript(
        flags: "allow-oom",
        """
        local gone = {}
        for _, id in ipairs(ARGV) do
          if redis.call('XDEL', dead, id) == 1 then gone[#gone + 1] = id end
        end
        return gone
        """)
}
