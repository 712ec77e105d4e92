/// The pushes a machine knows: a table of slots, and lists threaded through it: one of those that wait, one of those that
/// are late, and those of whoever makes pushes wait for something else. A slot is in one list at most. Every operation but an insertion in the middle takes constant time.
struct PushTable {
    fileprivate struct Row {
        var entry: PushEntry?
        /// Distinguishes the occupants of one slot from each other.
        var version: UInt32 = 0
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    fileprivate typealias Rows = ContiguousArray<Row>

    private var rows: Rows = []
    private var free: ContiguousArray<Int32> = []
    private(set) var count = 0
    private(set) var waiting = List()
    private(set) var late = List()
    /// The slot that was put back last: the next one usually belongs right behind it.
    private var lastReturned: Int32 = -1

    /// Puts an entry into a free slot. It is in no list yet.
    mutating func insert(_ entry: PushEntry) -> Int32 {
        count += 1
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = Int32(rows.count)
            rows.append(Row())
        }
        rows[Int(slot)].entry = entry
        entry.record.slot = slot
        return slot
    }

    /// Forgets the entry of a slot, which must be in no list.
    mutating func remove(_ slot: Int32) {
        let index = Int(slot)
        rows[index].entry?.record.slot = -1
        rows[index].entry = nil
        rows[index].version &+= 1
        free.append(slot)
        count -= 1
        if count == 0 && rows.count > 4_096 { self = PushTable() }
    }

    /// The entry of a slot; nil if the slot is empty or out of range.
    subscript(slot: Int32) -> PushEntry? {
        // Inlined, or each access would allocate the frame of a coroutine.
        @inline(__always) _read {
            if slot >= 0, Int(slot) < rows.count { yield rows[Int(slot)].entry } else { yield nil }
        }
        @inline(__always) _modify { yield &rows[Int(slot)].entry }
    }

    func version(of slot: Int32) -> UInt32 { rows[Int(slot)].version }

    /// True if the slot still has the occupant of that version, and that limit is in force.
    func holds(_ slot: Int32, version: UInt32, limit: MonotonicInstant) -> Bool {
        Int(slot) < rows.count && rows[Int(slot)].version == version
            && rows[Int(slot)].entry?.limit.instant == limit
    }

    /// The slots in use, in no particular order.
    var slots: [Int32] { rows.indices.filter { rows[$0].entry != nil }.map(Int32.init) }

    /// When the oldest push was written that is on an open stream of this link. Looks at every slot: good for every few
    /// seconds, not for every push.
    func oldestWrite(on link: LinkID) -> MonotonicInstant? {
        var oldest: MonotonicInstant?
        for index in rows.indices {
            guard let state = rows[index].entry?.state, state != .waiting, rows[index].entry?.link == link,
                let instant = rows[index].entry?.writtenAt
            else { continue }
            oldest = min(oldest ?? instant, instant)
        }
        return oldest
    }

    // MARK: The lists

    /// Puts a slot at the end of those that wait.
    mutating func appendWaiting(_ slot: Int32) { waiting.insert(slot, after: waiting.last, in: &rows) }

    /// Puts a slot among those that wait, in call order; looks from where the last one was put back.
    mutating func returnToWaiting(_ slot: Int32) {
        guard let id = rows[Int(slot)].entry?.record.id else { return }
        var before: Int32 = -1
        var cursor = waiting.first
        if lastReturned >= 0, let entry = rows[Int(lastReturned)].entry, entry.state == .waiting, entry.record.id < id {
            before = lastReturned
            cursor = rows[Int(lastReturned)].next
        }
        if waiting.last >= 0, let last = rows[Int(waiting.last)].entry?.record.id, last < id {
            (before, cursor) = (waiting.last, -1)
        }
        while cursor >= 0, let other = rows[Int(cursor)].entry?.record.id, other < id {
            before = cursor
            cursor = rows[Int(cursor)].next
        }
        waiting.insert(slot, after: before, in: &rows)
        lastReturned = slot
    }

    mutating func removeWaiting(_ slot: Int32) {
        if lastReturned == slot { lastReturned = -1 }
        waiting.remove(slot, in: &rows)
    }

    /// Puts a slot into a list of the caller's, in call order. Mostly that is its end.
    mutating func insertInCallOrder(_ slot: Int32, into list: inout List) {
        guard let id = rows[Int(slot)].entry?.record.id else { return }
        var before = list.last
        while before >= 0, let other = rows[Int(before)].entry?.record.id, other > id {
            before = rows[Int(before)].previous
        }
        list.insert(slot, after: before, in: &rows)
    }

    mutating func append(_ slot: Int32, to list: inout List) { list.insert(slot, after: list.last, in: &rows) }

    mutating func remove(_ slot: Int32, from list: inout List) { list.remove(slot, in: &rows) }

    mutating func appendLate(_ slot: Int32) { late.insert(slot, after: late.last, in: &rows) }

    mutating func removeLate(_ slot: Int32) { late.remove(slot, in: &rows) }

    /// The slot behind this one in its list, -1 at the end.
    func next(after slot: Int32) -> Int32 { rows[Int(slot)].next }
}

extension PushTable {
    /// A doubly linked list of slots, threaded through the rows.
    struct List {
        private(set) var first: Int32 = -1
        private(set) var last: Int32 = -1
        private(set) var count = 0
        var isEmpty: Bool { count == 0 }

        fileprivate mutating func insert(_ slot: Int32, after before: Int32, in rows: inout Rows) {
            let behind = before >= 0 ? rows[Int(before)].next : first
            rows[Int(slot)].previous = before
            rows[Int(slot)].next = behind
            if before >= 0 { rows[Int(before)].next = slot } else { first = slot }
            if behind >= 0 { rows[Int(behind)].previous = slot } else { last = slot }
            count += 1
        }

        fileprivate mutating func remove(_ slot: Int32, in rows: inout Rows) {
            let (previous, next) = (rows[Int(slot)].previous, rows[Int(slot)].next)
            if previous >= 0 { rows[Int(previous)].next = next } else { first = next }
            if next >= 0 { rows[Int(next)].previous = previous } else { last = previous }
            rows[Int(slot)].previous = -1
            rows[Int(slot)].next = -1
            count -= 1
        }
    }
}
