import DequeModule
import HeapModule
import ProcessRuntime

/// The times in force of the pushes in a table, earliest first.
///
/// Most times arrive in order, because most pushes have the same timeout: these are in a queue. A heap has the others.
///
/// A push that leaves the table leaves its entry behind. Stale entries are recognized when they reach the front, and
/// removed together once they outnumber the live ones. So removing costs nothing, and inserting a few nanoseconds,
/// amortized.
struct DeadlineQueue {
    private struct Entry: Comparable {
        let instant: MonotonicInstant
        let slot: Int32
        let version: UInt32

        static func < (left: Self, right: Self) -> Bool { left.instant < right.instant }
    }

    /// Ascending.
    private var line = Deque<Entry>()
    private var heap = Heap<Entry>()

    /// The earliest instant at which a time may be over; it may be that of a stale entry.
    var earliest: MonotonicInstant? {
        guard let first = line.first?.instant else { return heap.min?.instant }
        return min(first, heap.min?.instant ?? first)
    }

    var count: Int { line.count + heap.count }

    /// Stores the present limit of the slot's value.
    mutating func insert<Value: Timed>(_ slot: Int32, of table: borrowing SlotTable<Value>) {
        guard let instant = table.limit(of: slot), instant != PushTimes.never else { return }
        let entry = Entry(instant: instant, slot: slot, version: table.version(of: slot))
        if let last = line.last, instant < last.instant { heap.insert(entry) } else { line.append(entry) }
        if count > 2 * table.count + 256 { throwOutStale(table) }
    }

    private mutating func throwOutStale<Value: Timed>(_ table: borrowing SlotTable<Value>) {
        let table = copy table
        line.removeAll { !table.holds($0.slot, version: $0.version, limit: $0.instant) }
        guard !heap.isEmpty else { return }
        heap = Heap(heap.unordered.filter { table.holds($0.slot, version: $0.version, limit: $0.instant) })
    }

    /// Removes and returns a slot whose limit is over, if there is one.
    mutating func popDue<Value: Timed>(_ now: MonotonicInstant, in table: borrowing SlotTable<Value>) -> Int32? {
        while let entry = popEarliest(upTo: now) {
            if table.holds(entry.slot, version: entry.version, limit: entry.instant) { return entry.slot }
        }
        return nil
    }

    private mutating func popEarliest(upTo now: MonotonicInstant) -> Entry? {
        let other = heap.min
        guard let first = line.first, first.instant <= other?.instant ?? first.instant else {
            guard let other, other.instant <= now else { return nil }
            return heap.removeMin()
        }
        return first.instant <= now ? line.removeFirst() : nil
    }
}

extension SlotTable where Value: Timed {
    /// The instant of the slot's limit, without a copy of the whole value.
    func limit(of slot: Int32) -> MonotonicInstant? {
        guard contains(slot) else { return nil }
        return values[Int(slot)]?.limit.instant
    }

    /// True if the slot still has the same occupant, and that limit is in force.
    fileprivate func holds(_ slot: Int32, version: UInt32, limit: MonotonicInstant) -> Bool {
        contains(slot) && self.version(of: slot) == version && values[Int(slot)]?.limit.instant == limit
    }
}
