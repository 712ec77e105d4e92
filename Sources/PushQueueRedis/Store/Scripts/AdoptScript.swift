extension StoreScript {
    /// Puts a worker's entries into its pending list again, on a server that may have lost in a failover that it took
    /// them. Arguments: the worker, then pairs of a key and how far it is offered, from the lowest key.
    ///
    /// LASTID keeps the server from delivering them to others. The entries before it that are pending with no worker
    /// were delivered, too: they go to the consumer `failover`, whose counter never changes. So another worker takes
    /// them over as in doubt, if the one that had them does not claim them before.
    ///
    /// LASTID is never the key of an entry that this server does not have: if its clock is behind, new entries get lower
    /// keys, and would count as delivered.
    ///
    /// Returns the keys that this server never had: they are higher than all that were ever deleted from it. Whoever
    /// else had ended such an entry would have deleted it, or stores its rows as a repetition. What cannot be told: an
    /// entry that this server never had, when a newer one has already ended here. It counts as ended by another worker.
    /// That takes a worker that comes after the quiet time of the others.
    static let adopt = StoreScript(
        flags: "allow-oom", using: [ScriptPrelude.needGroup, ScriptPrelude.ids, ScriptPrelude.progress],
        """
        local worker, last, deleted, absent = ARGV[1], '0-0', '0-0', {}
        need_group()
        local stream_info = redis.call('XINFO', 'STREAM', stream)
        for i = 1, #stream_info, 2 do
          if stream_info[i] == 'max-deleted-entry-id' then deleted = stream_info[i + 1] end
        end
        for _, info in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
          for i = 1, #info, 2 do
            if info[2] == group and info[i] == 'last-delivered-id' then last = info[i + 1] end
          end
        end
        local function owner(key)
          local pending = redis.call('XPENDING', stream, group, key, key, 1)[1]
          return pending and pending[2]
        end
        local function claim(consumer, key)
          if #redis.call('XRANGE', stream, key, key) > 0 then
            redis.call('XCLAIM', stream, group, consumer, 0, key, 'FORCE', 'JUSTID', 'LASTID', key)
          else
            redis.call('XACK', stream, group, key)
            if consumer == worker and before_id(deleted, key) then absent[#absent + 1] = key end
          end
        end
        local highest = last
        for i = 2, #ARGV, 2 do
          local key, holder = ARGV[i], owner(ARGV[i])
          if not holder or holder == worker or holder == 'failover' or holder == released then
            claim(worker, key)
            local p = progress_of(key)
            p.life = math.max(p.life, tonumber(ARGV[i + 1]))
            if owner(key) then keep(key, p) end
            if before_id(highest, key) then highest = key end
          end
        end
        redis.call('HSETNX', workers, worker, 0)
        if not before_id(last, highest) then return absent end
        local from = '(' .. last
        repeat
          local page = redis.call('XRANGE', stream, from, highest, 'COUNT', 100)
          for _, entry in ipairs(page) do
            from = '(' .. entry[1]
            if not owner(entry[1]) then
              claim('failover', entry[1])
              redis.call('HSETNX', workers, 'failover', 0)
            end
          end
        until #page < 100
        return absent
        """)
}
