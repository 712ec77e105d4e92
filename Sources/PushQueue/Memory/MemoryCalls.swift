import FoundationEssentials

/// The calls of producers that a queue remembers, so that a repeated one adds nothing.
struct MemoryCalls: Sendable {
    private static let most = 10_000
    private static let time: TimeInterval = 60

    private var times: [EntryID: Date] = [:]
    /// The oldest first.
    private var order: [EntryID] = []

    /// Whether a call began with this id in the last minute.
    func knows(_ first: EntryID, _ now: Date) -> Bool {
        times[first].map { now.timeIntervalSince($0) < Self.time } ?? false
    }

    mutating func remember(_ first: EntryID, _ now: Date) {
        times[first] = now
        order.append(first)
        // Twice as many before the oldest are removed, so that each is moved at most once.
        guard order.count > 2 * Self.most else { return }
        for id in order.prefix(Self.most) { times[id] = nil }
        order.removeFirst(Self.most)
    }
}
