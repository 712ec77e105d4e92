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

/// What the machine remembers about a push that it wrote. It is stored in a ``PushTable``.
struct PushEntry: Timed {
    /// The state of the push.
    enum State: Equatable {
        /// Written, or being written; its answer is awaited.
        case inFlight
        /// Its outcome was reported as unknown; a late answer will be reported.
        case late
    }

    /// Why the wire is asked how far a push in flight has been written.
    enum Withdrawal {
        /// Its time was over.
        case timedOut
        /// Its caller cancelled it.
        case cancelled
        /// The connection's closing deadline passed.
        case closing
        /// Its link has drained long enough.
        case drained
        /// Its link stalls: unwritten pushes go out over the successor.
        case stalled
    }

    let record: PushRecord
    var state = State.inFlight
    /// What is known about its attempts, including this one.
    var history: PushHistory
    /// The time that is in force, and which one it is.
    var limit: PushTimes.Limit
    var withdrawal: Withdrawal?
    /// Its answer said that its provider token has expired; the machine waits to know whether there is a newer one.
    var awaitsToken = false
    let link: LinkID
    let streamID: PushStreamID
    /// True while it has its turn at its device.
    let hasTurn: Bool
    /// When it was written; of a push that its link does not take whole, when it had left.
    var writtenAt: MonotonicInstant

    /// A push that is written now.
    init(
        _ record: PushRecord, history: PushHistory, hasTurn: Bool, on link: LinkID, streamID: PushStreamID,
        _ now: MonotonicInstant
    ) {
        self.record = record
        self.history = history
        self.history.attempts += 1
        limit = record.times.inFlight(writtenAt: now)
        self.link = link
        self.streamID = streamID
        self.hasTurn = hasTurn
        writtenAt = now
    }

    var stream: Int32 { streamID.stream }

    var trace: PushTrace { PushTrace(record: record, history: history, streamID: streamID, kind: limit.kind) }

    /// How its late window ends without an answer. If its last attempt was not processed, earlier ones may have been.
    func lateEnd(_ certainty: Certainty) -> LateResponse.Outcome {
        certainty == .unknown || history.unknownAttempt != nil ? .noAnswer : .unprocessed
    }
}
