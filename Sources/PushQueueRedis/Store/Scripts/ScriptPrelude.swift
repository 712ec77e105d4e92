/// Functions that several scripts use. Each script has a copy: a script on a server cannot call another.
enum ScriptPrelude {
    /// The names of the keys, of the consumer group, and of the consumer of what was released.
    static let keys = """
        local stream, later, delayed, progress, workers, outcomes, feedback, dead, counts = unpack(KEYS)
        local wake, orphans, calls, beats = unpack(KEYS, 10)
        local group, released = 'workers', 'released'
        """

    /// `need_group`: ends the script with NOGROUP if the group or the stream is gone.
    static let needGroup = """
        local function need_group() redis.call('XPENDING', stream, group, '-', '+', 0) end
        """

    /// `check_types`: ends the script with WRONGTYPE if a key of the queue is used by something else. A script that
    /// fails midway is not undone, so this comes before its first write.
    static let checkTypes = """
        local function check_types()
          for _, list in ipairs({outcomes, feedback, dead, wake}) do redis.call('XLEN', list) end
          for _, hash in ipairs({delayed, progress, workers, counts, orphans, beats}) do redis.call('HLEN', hash) end
          redis.call('ZCARD', later)
          redis.call('ZCARD', calls)
        end
        """

    /// `clock`: the server's time in milliseconds.
    static let clock = """
        local function clock()
          local time = redis.call('TIME')
          return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
        end
        """

    /// `field`, `token_count` and `with_id`: what a script needs to know of an entry's fields.
    ///
    /// It searches for spaces with `plain`, which is a search for bytes and ten times as fast as a pattern. An entry
    /// that a producer stored without an id has one that is made of its key and of the queue's name, wherever it is
    /// read.
    static let fields = """
        local function field(fields, name)
          for i = 1, #fields, 2 do
            if fields[i] == name then return fields[i + 1] end
          end
        end
        local function token_count(fields)
          local text, n, at = field(fields, 'tokens') or '', 0, 1
          while true do
            local gap = string.find(text, ' ', at, true)
            if (gap or #text + 1) > at then n = n + 1 end
            if not gap then return math.max(1, n) end
            at = gap + 1
          end
        end
        local function with_id(fields, key)
          if not field(fields, 'id') then
            local ms, seq = string.match(key, '^(%d+)-(%d+)$')
            local mark = redis.sha1hex(stream)
            fields[#fields + 1] = 'id'
            fields[#fields + 1] = string.format(
              '%012x%s%08x%s', tonumber(ms), string.sub(mark, 1, 4), tonumber(seq), string.sub(mark, 5, 12))
          end
          return fields
        end
        """

    /// `progress_of` and `keep`: what is known of an entry beyond its fields, as one text in a hash.
    ///
    /// `before` is how many of its tokens workers that died may have sent, `life` how many this one may have sent,
    /// `retries` how often they were postponed, `settled` the tokens with an outcome. What has nothing to tell is not
    /// stored.
    static let progress = #"""
        local function parse(text)
          local before, life, doubts, retries, settled =
            string.match(text or '', '^(%d+) (%d+) (%d+) (%d+) (%x*)$')
          return {
            before = tonumber(before or 0), life = tonumber(life or 0), doubts = tonumber(doubts or 0),
            retries = tonumber(retries or 0), settled = settled or ''
          }
        end
        local function text_of(p)
          return string.format('%d %d %d %d %s', p.before, p.life, p.doubts, p.retries, p.settled)
        end
        local function progress_of(key) return parse(redis.call('HGET', progress, key)) end
        local function keep(key, p)
          if p.before == 0 and p.life == 0 and p.doubts == 0 and p.retries == 0 and p.settled == '' then
            redis.call('HDEL', progress, key)
          else
            redis.call('HSET', progress, key, text_of(p))
          end
        end
        """#

    /// `found_entry`: what a worker gets of an entry. Without progress of any entry, no one is looked up.
    static let found = """
        local function found_entry(key, fields, has_progress)
          return {key, with_id(fields, key), has_progress and redis.call('HGET', progress, key) or ''}
        end
        """

    /// `delay`: puts an entry into the delayed set, and `wake_up`: ends the wait of workers. `can_delay`: whether it
    /// has few enough fields. A readable entry has; those of others would be too many results for Lua when they are
    /// due.
    ///
    /// The member begins with the entry's id, so that it can be cancelled, and ends with a number, because an id may be
    /// in the queue more than once.
    static let delay = """
        local function wake_up() redis.call('XADD', wake, 'MAXLEN', '1', '*', 'w', '1') end
        local function can_delay(fields) return #fields <= 100 end
        local function delay(fields, due, kept)
          local member = string.lower(field(fields, 'id')) .. ':' .. redis.call('HINCRBY', counts, 'delays', 1)
          redis.call('HSET', delayed, member, cmsgpack.pack({fields, kept}))
          redis.call('ZADD', later, due, member)
          if redis.call('ZRANGE', later, 0, 0)[1] == member then wake_up() end
        end
        """

    /// `new_letter`: adds a dead letter, and removes the oldest beyond `limit`, which are counted. Its first two fields
    /// are the reason and the set of tokens that APNs answered.
    static let letters = """
        local function new_letter(limit, reason, settled, fields)
          redis.call('XADD', dead, '*', 'reason', reason, 'settled', settled, unpack(fields))
          local cut = redis.call('XTRIM', dead, 'MAXLEN', limit)
          if cut > 0 then redis.call('HINCRBY', counts, 'dead_cut', cut) end
        end
        """

    /// `move_due`: puts delayed entries whose time has come at the end of the stream, at most `limit` and about 1 MiB, and
    /// at least one.
    ///
    /// An entry leaves the delayed ones after it was added. One that cannot be read is buried with its bytes, so that
    /// it does not stop the others.
    static let moveDue = """
        local function add_delayed(stored)
          local entry = cmsgpack.unpack(stored)
          local key = redis.call('XADD', stream, '*', unpack(entry[1]))
          keep(key, parse(entry[2]))
        end
        local function move_due(now, limit, letters)
          local space = 1048576
          local due = redis.call('ZRANGEBYSCORE', later, '-inf', now, 'LIMIT', 0, limit)
          for _, member in ipairs(due) do
            if space <= 0 then return end
            local stored = redis.call('HGET', delayed, member)
            space = space - #(stored or '')
            if stored and not pcall(add_delayed, stored) then
              new_letter(letters, 'The delayed entry could not be read back.', '', {'stored', stored})
            end
            redis.call('ZREM', later, member)
            redis.call('HDEL', delayed, member)
          end
        end
        """
}
