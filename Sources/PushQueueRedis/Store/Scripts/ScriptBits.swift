extension ScriptPrelude {
    /// A set of tokens in the text form of `TokenSet`: hexadecimal digits, the lowest position in the last one.
    ///
    /// As a table it has one number from 0 to 15 for each digit, the last digit first.
    static let bits = """
        local function bits_of(text)
          local digits, n = {}, #text
          for i = 1, n do digits[i] = tonumber(string.sub(text, n + 1 - i, n + 1 - i), 16) end
          return digits
        end
        local function add_bit(digits, index)
          local at, mask = math.floor(index / 4) + 1, bit.lshift(1, index % 4)
          for i = #digits + 1, at do digits[i] = 0 end
          if bit.band(digits[at], mask) ~= 0 then return false end
          digits[at] = bit.bor(digits[at], mask)
          return true
        end
        local function bits_text(digits)
          local text, n = {}, #digits
          for i = 1, n do text[i] = string.format('%x', digits[n + 1 - i]) end
          return (string.gsub(table.concat(text), '^0+', ''))
        end
        """

    /// `before_id`: whether one id of a stream is lower than another.
    static let ids = """
        local function split_id(id)
          local ms, seq = string.match(id, '^(%d+)-(%d+)')
          return tonumber(ms or 0), tonumber(seq or 0)
        end
        local function before_id(one, other)
          local ms, seq = split_id(one)
          local other_ms, other_seq = split_id(other)
          return ms < other_ms or (ms == other_ms and seq < other_seq)
        end
        """

    /// `rows_of`: how many rows an entry of a list of outcomes has; none if another program stored it without their
    /// number. An error there would lose the outcomes of a settle.
    static let rows = """
        local function rows_of(entry)
          local n = tonumber(entry[2][2])
          return n and n >= 0 and n <= 1e6 and math.floor(n) == n and n or 0
        end
        """

    /// `append`: adds rows to a list of outcomes, and cuts its oldest rows beyond `limit`.
    ///
    /// Rows are counted, not entries of the stream: one entry has the rows of one settle. `NAME` counts what was ever
    /// added, `NAME_cut` what was removed, up to the id `NAME_cut_to`, `NAME_unread` what was removed before a reader
    /// asked for what follows it. `mark` names the call that adds them. It returns the id of the rows in the list, or
    /// nothing.
    static let append = #"""
        local function unread_of(name, id, n)
          local position = redis.call('HGET', counts, name .. '_read')
          if not position then return n end
          local read, part = string.match(position, '^([^/]+)/?(%d*)$')
          if before_id(id, read) then return 0 end
          if before_id(read, id) then return n end
          if part == '' then return 0 end
          return math.max(0, n - tonumber(part))
        end
        local function cut(list, name, over, most)
          for _ = 1, most do
            local entry = over > 0 and redis.call('XRANGE', list, '-', '+', 'COUNT', 1)[1]
            if not entry then return end
            local n = rows_of(entry)
            redis.call('XDEL', list, entry[1])
            redis.call('HINCRBY', counts, name .. '_cut', n)
            redis.call('HSET', counts, name .. '_cut_to', entry[1])
            redis.call('HINCRBY', counts, name .. '_unread', unread_of(name, entry[1], n))
            over = over - n
          end
        end
        local function append(list, name, rows, n, limit, mark)
          if n == 0 then return '' end
          local id = redis.call('XADD', list, '*', 'n', n, 'rows', table.concat(rows, '\n'), 'call', mark)
          local total = redis.call('HINCRBY', counts, name, n)
          -- As many as were added, because those that are cut may have one row each.
          local was_cut = tonumber(redis.call('HGET', counts, name .. '_cut') or 0)
          cut(list, name, total - was_cut - limit, math.max(16, n))
          return id
        end
        """#
}
