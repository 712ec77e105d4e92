import CPushSystem

/// Brings waiting pushes back into the processor's cache, a few places before they are taken.
///
/// Pushes that wait for long have left it. Without this, each costs several waits for memory, one after the other; a
/// backlog of 10,000 pushes then costs more than a load of 95 % leaves, and never ends.
struct AgedPushes {
    /// How many places ahead a slot is brought in, and half as many its push: an access to memory takes as long as a few
    /// pulls.
    private static let distance = 8

    /// The next slot to bring in, and the next one whose push is brought in; -1 at the end of the list.
    private var slot: Int32
    private var record: Int32

    /// Begins at the front of a list.
    init(_ list: SlotList, in table: borrowing SlotTable<WaitingPush>, links: borrowing SlotLinks) {
        (slot, record) = (list.first, list.first)
        for _ in 0..<Self.distance { advanceSlot(in: table, links: links) }
        for _ in 0..<Self.distance / 2 { advanceRecord(in: table, links: links) }
    }

    /// One more push is taken from the front.
    mutating func advance(in table: borrowing SlotTable<WaitingPush>, links: borrowing SlotLinks) {
        advanceSlot(in: table, links: links)
        advanceRecord(in: table, links: links)
    }

    private mutating func advanceSlot(in table: borrowing SlotTable<WaitingPush>, links: borrowing SlotLinks) {
        guard slot >= 0 else { return }
        table.prefetch(slot)
        slot = links.next(after: slot)
    }

    private mutating func advanceRecord(in table: borrowing SlotTable<WaitingPush>, links: borrowing SlotLinks) {
        guard record >= 0 else { return }
        table.prefetchRecord(of: record)
        record = links.next(after: record)
    }
}

extension SlotTable where Value == WaitingPush {
    fileprivate func prefetch(_ slot: Int32) {
        values.withUnsafeBufferPointer { values in
            guard let first = values.baseAddress else { return }
            push_prefetch(first + Int(slot))
        }
    }

    /// Reads the reference, which is the first in its slot, as a number: a copy would count it, and so wait for it.
    fileprivate func prefetchRecord(of slot: Int32) {
        let address = values.withUnsafeBytes { bytes in
            bytes.load(fromByteOffset: Int(slot) * MemoryLayout<WaitingPush?>.stride, as: UInt.self)
        }
        guard let record = UnsafeRawPointer(bitPattern: address) else { return }
        // One line more than its bytes fill: it need not begin with a line.
        for offset in stride(from: 0, through: PushRecord.footprint + 8, by: 64) { push_prefetch(record + offset) }
    }
}
