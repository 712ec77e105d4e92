import PushQueue

/// Reads the outcomes of a queue, page by page.
struct OutcomeFollower: Sendable {
    /// How many outcomes are read at once.
    static let page = 1_000
    /// Between two looks for more.
    static let pause = Duration.milliseconds(100)

    private let store: any PushQueueStore
    private let list: OutcomeList
    private(set) var position: String?

    init(_ store: any PushQueueStore, _ list: OutcomeList = .all, after position: String? = nil) {
        self.store = store
        self.list = list
        self.position = position
    }

    /// The next outcomes; empty if there are no more yet.
    mutating func next() async throws(QueueError) -> [QueueOutcome] {
        let page = try await store.outcomes(list, after: position, limit: Self.page)
        position = page.position ?? position
        return page.outcomes
    }
}
