/// Values of pushes that wait for what is still to come, such as a late answer, oldest first, in bounded number.
struct Held<ID: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private var values: [ID: Value] = [:]
    /// In the order of arrival; removed ones are skipped.
    private var order: [ID] = []
    private var oldest = 0

    /// - Parameter limit: Beyond it, the oldest value is returned.
    init(limit: Int = 100_000) {
        self.limit = limit
    }

    var count: Int { values.count }

    /// Holds a value; returns the oldest one if there is no room. Each id is held once.
    mutating func hold(_ id: ID, _ value: Value) -> Value? {
        values[id] = value
        order.append(id)
        compact()
        return values.count > limit ? takeOldest() : nil
    }

    /// Removes and returns the value of an id.
    mutating func take(_ id: ID) -> Value? { values.removeValue(forKey: id) }

    /// All values, the oldest first; none is held afterwards.
    mutating func takeAll() -> [Value] {
        var all: [Value] = []
        while let value = takeOldest() { all.append(value) }
        return all
    }

    private mutating func takeOldest() -> Value? {
        while oldest < order.count {
            defer { oldest += 1 }
            if let value = values.removeValue(forKey: order[oldest]) { return value }
        }
        order.removeAll(keepingCapacity: true)
        oldest = 0
        return nil
    }

    /// Forgets ids that were taken, once they are half of the list: constant work a row on average.
    private mutating func compact() {
        guard order.count > 2 * values.count + 64 else { return }
        order = order[oldest...].filter { values[$0] != nil }
        oldest = 0
    }
}
