import PushQueue

/// Reads the outcomes of a queue, page by page.
struct OutcomeFollower: Sendable {
    /// Between two looks for more.
    static let pause = Duration.milliseconds(100)

    private let store: any PushQueueReader
    private let list: OutcomeList
    private let isMarking: Bool
    private(set) var position: String?

    /// - Parameter marking: Whether what it reads counts as read. A second reader must not mark what the first has not
    ///   seen.
    init(_ store: any PushQueueReader, _ list: OutcomeList = .all, after position: String? = nil, marking: Bool) {
        isMarking = marking
        self.store = store
        self.list = list
        self.position = position
    }

    /// The next outcomes; an empty page if there are no more yet.
    mutating func next() async throws(QueueError) -> OutcomePage {
        let page = try await store.outcomes(list, after: position, limit: OutcomePages.pageSize, marking: isMarking)
        position = page.position ?? position
        return page
    }
}
