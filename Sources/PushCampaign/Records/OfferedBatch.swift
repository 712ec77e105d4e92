import SupervisedPush

/// Pushes whose intents are in the journal, until the bulk takes them.
struct OfferedBatch {
    struct Item {
        var push: Push
        var line: Int
        /// Its intent is in this batch; otherwise it is an earlier run's.
        var isNew: Bool
    }

    /// As many as are read before the first of them is offered.
    static let most = 512

    private var items: [Item] = []
    private var taken = 0

    var isEmpty: Bool { taken == items.count }
    var firstLine: Int? { isEmpty ? nil : items[taken].line }
    /// How many of those that are left have their intent in this batch. They are its last ones.
    var newLeft: Int { items[taken...].count(where: \.isNew) }
    var count: Int { items.count - taken }

    mutating func append(_ item: Item) { items.append(item) }

    mutating func next() -> Item? {
        guard !isEmpty else { return nil }
        defer { taken += 1 }
        return items[taken]
    }

    mutating func restart() {
        items.removeAll(keepingCapacity: true)
        taken = 0
    }

    /// What the journal must know before the first push is offered.
    var intents: [Intent] {
        items.compactMap { item in
            guard item.isNew, case .fixed(let id) = item.push.notification.apnsID else { return nil }
            return Intent(line: item.line, apnsID: id)
        }
    }
}
