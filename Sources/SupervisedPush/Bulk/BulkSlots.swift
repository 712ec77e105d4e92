/// The pushes of a bulk that have no outcome. A slot is reused once its push has ended, so there are never more slots
/// than the bulk's window.
struct BulkSlots {
    private struct Slot {
        var record: PushRecord?
        var index: Int
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// Stores a push; returns its ticket.
    mutating func insert(_ record: PushRecord, index: Int) -> Int {
        if let ticket = free.popLast() {
            slots[ticket] = Slot(record: record, index: index)
            return ticket
        }
        slots.append(Slot(record: record, index: index))
        return slots.count - 1
    }

    /// Removes a push; returns its index, or nil if it is already gone.
    mutating func remove(_ ticket: Int) -> Int? {
        guard slots[ticket].record != nil else { return nil }
        slots[ticket].record = nil
        free.append(ticket)
        return slots[ticket].index
    }

    /// The stored pushes, in no particular order.
    var records: [PushRecord] { slots.compactMap(\.record) }
}
