import ProcessRuntime

/// The pushes that a machine wrote: a table of slots, with a list of the late ones threaded through it.
struct PushTable {
    private(set) var entries = SlotTable<PushEntry>()
    private var links = SlotLinks()
    /// In the order in which they became late.
    private(set) var late = SlotList()

    var count: Int { entries.count }
    /// The slots in use, in no particular order.
    var slots: [Int32] { entries.slots }

    /// Puts an entry into a free slot.
    mutating func insert(_ entry: consuming PushEntry) -> Int32 {
        let slot = entries.insert(entry)
        entries.values[Int(slot)]?.record.slot = slot
        return slot
    }

    /// Removes and returns the entry of a slot, which must not be late.
    mutating func take(_ slot: Int32) -> PushEntry? {
        guard let entry = entries.take(slot) else { return nil }
        entry.record.slot = -1
        return entry
    }

    /// The entry of a slot; nil if the slot is empty or out of range.
    subscript(slot: Int32) -> PushEntry? {
        get { entries[slot] }
        // Inlined, or each access would allocate the frame of a coroutine.
        @inline(__always) _modify { yield &entries[slot] }
    }

    // Read for every push, without a copy of the whole entry.

    func record(of slot: Int32) -> PushRecord? {
        guard entries.contains(slot) else { return nil }
        return entries.values[Int(slot)]?.record
    }

    /// The link of the slot's stream, and whether the push is late.
    func stream(of slot: Int32) -> (link: LinkID, isLate: Bool)? {
        guard entries.contains(slot), let state = entries.values[Int(slot)]?.state,
            let link = entries.values[Int(slot)]?.link
        else { return nil }
        return (link, state == .late)
    }

    /// When the oldest push on an open stream of this link was written. It checks every slot: suitable every few
    /// seconds, not for every push.
    ///
    /// - Parameter slot: Of a push that has not left whole, so that nobody can answer it.
    func oldestWrite(on link: LinkID, except slot: Int32) -> MonotonicInstant? {
        var oldest: MonotonicInstant?
        for index in entries.values.indices where index != slot {
            guard entries.values[index]?.link == link, let instant = entries.values[index]?.writtenAt else { continue }
            oldest = min(oldest ?? instant, instant)
        }
        return oldest
    }

    // MARK: Late pushes

    mutating func appendLate(_ slot: Int32) { late.append(slot, in: &links) }

    mutating func removeLate(_ slot: Int32) { late.remove(slot, in: &links) }

    /// The push on this link that has been late for the longest time.
    func oldestLate(on link: LinkID) -> Int32? {
        var slot = late.first
        while slot >= 0, entries[slot]?.link != link { slot = links.next(after: slot) }
        return slot >= 0 ? slot : nil
    }

    /// How many of them are on this link, counted up to `most`.
    func lateCount(on link: LinkID, upTo most: Int) -> Int {
        var count = 0
        var slot = late.first
        while slot >= 0, count < most {
            if entries[slot]?.link == link { count += 1 }
            slot = links.next(after: slot)
        }
        return count
    }
}
