/// The pushes of a bulk that have no outcome. A slot is used again once its push has ended: there are never more than a
/// bulk's window.
struct BulkSlots {
    private struct Slot {
        var record: PushRecord?
        var index: Int
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    /// Keeps a push; returns its ticket.
    mutating func insert(_ record: PushRecord, index: Int) -> Int {
        if let ticket = free.popLast() {
            slots[ticket] = Slot(record: record, index: index)
            return ticket
        }
        slots.append(Slot(record: record, index: index))
        return slots.count - 1
    }

    /// Forgets a push; returns its index, nil if it is gone already.
    mutating func remove(_ ticket: Int) -> Int? {
        guard slots[ticket].record != nil else { return nil }
        slots[ticket].record = nil
        free.append(ticket)
        return slots[ticket].index
    }

    /// Those it keeps, in no particular order.
    var records: [PushRecord] { slots.compactMap(\.record) }
}
