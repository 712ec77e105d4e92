/// Rows of timed-out pushes that wait for a late answer, oldest first, in bounded number.
struct HeldRows<ID: Hashable & Sendable>: Sendable {
    private let limit: Int
    private var rows: [ID: OutcomeRow] = [:]
    /// In the order of arrival; removed ones are skipped.
    private var order: [ID] = []
    private var oldest = 0

    /// - Parameter limit: Beyond it, the oldest row is returned for writing.
    init(limit: Int = 100_000) {
        self.limit = limit
    }

    var count: Int { rows.count }

    /// Holds a row; returns the oldest one if there is no room. Each id is held once.
    mutating func hold(_ id: ID, _ row: OutcomeRow) -> OutcomeRow? {
        rows[id] = row
        order.append(id)
        compact()
        return rows.count > limit ? takeOldest() : nil
    }

    /// Removes and returns the row of an id.
    mutating func take(_ id: ID) -> OutcomeRow? { rows.removeValue(forKey: id) }

    /// All rows, the oldest first; none is held afterwards.
    mutating func takeAll() -> [OutcomeRow] {
        var all: [OutcomeRow] = []
        while let row = takeOldest() { all.append(row) }
        return all
    }

    private mutating func takeOldest() -> OutcomeRow? {
        while oldest < order.count {
            defer { oldest += 1 }
            if let row = rows.removeValue(forKey: order[oldest]) { return row }
        }
        order.removeAll(keepingCapacity: true)
        oldest = 0
        return nil
    }

    /// Forgets ids that were taken, once they are half of the list: constant work a row on average.
    private mutating func compact() {
        guard order.count > 2 * rows.count + 64 else { return }
        order = order[oldest...].filter { rows[$0] != nil }
        oldest = 0
    }
}
