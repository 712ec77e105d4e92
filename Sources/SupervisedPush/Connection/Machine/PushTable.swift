/// The pushes a machine knows: a table of slots, and lists threaded through it: one of those that wait, one of those that
/// are late, and those of whoever makes pushes wait for something else. A slot is in one list at most. Every operation but an insertion in the middle takes constant time.
struct PushTable {
    /// Where a slot stands in its list, and who is in it. Apart from the entries, which are large.
    fileprivate struct Place {
        /// Distinguishes the occupants of one slot from each other.
        var version: UInt32 = 0
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    fileprivate typealias Places = ContiguousArray<Place>

    private var entries: ContiguousArray<PushEntry?> = []
    private var places: Places = []
    private var free: ContiguousArray<Int32> = []
    private(set) var count = 0
    private(set) var waiting = List()
    private(set) var late = List()
    /// The slot that was put back last: the next one usually belongs right behind it.
    private var lastReturned: Int32 = -1

    /// Puts an entry into a free slot. It is in no list yet.
    mutating func insert(_ entry: consuming PushEntry) -> Int32 {
        count += 1
        let slot = free.popLast() ?? Int32(entries.count)
        entry.record.slot = slot
        if Int(slot) < entries.count {
            entries[Int(slot)] = entry
        } else {
            entries.append(entry)
            places.append(Place())
        }
        return slot
    }

    /// Forgets the entry of a slot, which must be in no list.
    mutating func remove(_ slot: Int32) { _ = take(slot) }

    /// Takes the entry out of a slot, which must be in no list.
    mutating func take(_ slot: Int32) -> PushEntry? {
        guard contains(slot), let entry = entries[Int(slot)].take() else { return nil }
        entry.record.slot = -1
        places[Int(slot)].version &+= 1
        free.append(slot)
        count -= 1
        if count == 0 && entries.count > 4_096 { self = PushTable() }
        return entry
    }

    /// The entry of a slot; nil if the slot is empty or out of range.
    subscript(slot: Int32) -> PushEntry? {
        get { contains(slot) ? entries[Int(slot)] : nil }
        // Inlined, or each access would allocate the frame of a coroutine.
        @inline(__always) _modify { yield &entries[Int(slot)] }
    }

    // What is asked for every push, without a copy of the whole entry.

    func record(of slot: Int32) -> PushRecord? {
        guard contains(slot) else { return nil }
        return entries[Int(slot)]?.record
    }

    func limit(of slot: Int32) -> MonotonicInstant? {
        guard contains(slot) else { return nil }
        return entries[Int(slot)]?.limit.instant
    }

    /// The link on which a stream belongs to the slot's push, and whether that is late.
    func stream(of slot: Int32) -> (link: LinkID, isLate: Bool)? {
        guard contains(slot), let state = entries[Int(slot)]?.state, let link = entries[Int(slot)]?.link else {
            return nil
        }
        switch state {
        case .inFlight: return (link, false)
        case .late: return (link, true)
        case .waiting, .deferred: return nil
        }
    }

    /// The slot's push is written now: whether it counted as waiting until then, and whether its limit is another one now.
    mutating func wrote(
        _ slot: Int32, on link: LinkID, _ streamID: PushStreamID, _ now: MonotonicInstant
    ) -> (wasCounted: Bool, isNewLimit: Bool) {
        entries[Int(slot)]?.wrote(on: link, streamID, now) ?? (false, false)
    }

    private func contains(_ slot: Int32) -> Bool { slot >= 0 && Int(slot) < entries.count }

    func version(of slot: Int32) -> UInt32 { places[Int(slot)].version }

    /// True if the slot still has the occupant of that version, and that limit is in force.
    func holds(_ slot: Int32, version: UInt32, limit: MonotonicInstant) -> Bool {
        Int(slot) < entries.count && places[Int(slot)].version == version
            && entries[Int(slot)]?.limit.instant == limit
    }

    /// The slots in use, in no particular order.
    var slots: [Int32] { entries.indices.filter { entries[$0] != nil }.map(Int32.init) }

    /// When the oldest push was written that is on an open stream of this link. Looks at every slot: good for every few
    /// seconds, not for every push.
    func oldestWrite(on link: LinkID) -> MonotonicInstant? {
        var oldest: MonotonicInstant?
        for index in entries.indices {
            guard let state = entries[index]?.state, state != .waiting, entries[index]?.link == link,
                let instant = entries[index]?.writtenAt
            else { continue }
            oldest = min(oldest ?? instant, instant)
        }
        return oldest
    }

    // MARK: The lists

    /// Puts a slot at the end of those that wait.
    mutating func appendWaiting(_ slot: Int32) { waiting.insert(slot, after: waiting.last, in: &places) }

    /// Puts a slot among those that wait, in call order; looks from where the last one was put back.
    mutating func returnToWaiting(_ slot: Int32) {
        guard let id = entries[Int(slot)]?.record.id else { return }
        var before: Int32 = -1
        var cursor = waiting.first
        if lastReturned >= 0, let entry = entries[Int(lastReturned)], entry.state == .waiting, entry.record.id < id {
            before = lastReturned
            cursor = places[Int(lastReturned)].next
        }
        if waiting.last >= 0, let last = entries[Int(waiting.last)]?.record.id, last < id {
            (before, cursor) = (waiting.last, -1)
        }
        while cursor >= 0, let other = entries[Int(cursor)]?.record.id, other < id {
            before = cursor
            cursor = places[Int(cursor)].next
        }
        waiting.insert(slot, after: before, in: &places)
        lastReturned = slot
    }

    mutating func removeWaiting(_ slot: Int32) {
        if lastReturned == slot { lastReturned = -1 }
        waiting.remove(slot, in: &places)
    }

    /// Puts a slot into a list of the caller's, in call order. Mostly that is its end.
    mutating func insertInCallOrder(_ slot: Int32, into list: inout List) {
        guard let id = entries[Int(slot)]?.record.id else { return }
        var before = list.last
        while before >= 0, let other = entries[Int(before)]?.record.id, other > id {
            before = places[Int(before)].previous
        }
        list.insert(slot, after: before, in: &places)
    }

    mutating func append(_ slot: Int32, to list: inout List) { list.insert(slot, after: list.last, in: &places) }

    mutating func remove(_ slot: Int32, from list: inout List) { list.remove(slot, in: &places) }

    mutating func appendLate(_ slot: Int32) { late.insert(slot, after: late.last, in: &places) }

    mutating func removeLate(_ slot: Int32) { late.remove(slot, in: &places) }

    /// The slot behind this one in its list, -1 at the end.
    func next(after slot: Int32) -> Int32 { places[Int(slot)].next }
}

extension PushTable {
    /// A doubly linked list of slots, threaded through the places.
    struct List {
        private(set) var first: Int32 = -1
        private(set) var last: Int32 = -1
        private(set) var count = 0
        var isEmpty: Bool { count == 0 }

        fileprivate mutating func insert(_ slot: Int32, after before: Int32, in places: inout Places) {
            let behind = before >= 0 ? places[Int(before)].next : first
            places[Int(slot)].previous = before
            places[Int(slot)].next = behind
            if before >= 0 { places[Int(before)].next = slot } else { first = slot }
            if behind >= 0 { places[Int(behind)].previous = slot } else { last = slot }
            count += 1
        }

        fileprivate mutating func remove(_ slot: Int32, in places: inout Places) {
            let (previous, next) = (places[Int(slot)].previous, places[Int(slot)].next)
            if previous >= 0 { places[Int(previous)].next = next } else { first = next }
            if next >= 0 { places[Int(next)].previous = previous } else { last = previous }
            places[Int(slot)].previous = -1
            places[Int(slot)].next = -1
            count -= 1
        }
    }
}
