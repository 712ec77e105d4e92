import HeapModule

/// The deadlines of the pushes of one connection, earliest first.
///
/// A push that ends leaves its entry behind; stale entries are recognised when they surface, and thrown out together
/// once they outnumber the live ones. So an end costs nothing, and a start a few nanoseconds, amortised.
struct DeadlineQueue {
    private struct Entry: Comparable {
        let instant: MonotonicInstant
        let slot: Int32
        let version: UInt32

        static func < (left: Self, right: Self) -> Bool { left.instant < right.instant }
    }

    private var heap = Heap<Entry>()

    /// The earliest instant at which something may be due; a stale entry's at worst.
    var earliest: MonotonicInstant? { heap.min?.instant }

    var count: Int { heap.count }

    /// Remembers the limit that the slot's entry has now.
    mutating func insert(_ slot: Int32, of table: PushTable) {
        guard let instant = table[slot]?.limit.instant, instant != PushTimes.never else { return }
        heap.insert(Entry(instant: instant, slot: slot, version: table.version(of: slot)))
        guard heap.count > 2 * table.count + 256 else { return }
        heap = Heap(
            heap.unordered.filter { table.holds($0.slot, version: $0.version, limit: $0.instant) })
    }

    /// Takes a slot whose limit is over, if there is one.
    mutating func popDue(_ now: MonotonicInstant, in table: PushTable) -> Int32? {
        while let entry = heap.min, entry.instant <= now {
            heap.removeMin()
            if table.holds(entry.slot, version: entry.version, limit: entry.instant) { return entry.slot }
        }
        return nil
    }
}
