/// A reader of the event stream. It gets what came in one write, at most 20 times a second, and the next when it has
/// read that: one that does not read holds nothing up, and loses what made room meanwhile.
struct EventStream: Sendable {
    private let store: InboxStore
    private let writer: EventWriter
    private let start: InboxPosition
    private let sleep: @Sendable (Duration) async throws -> Void

    /// The least time between two writes.
    private static let pause = Duration.milliseconds(50)
    /// How long nothing is written at most, so that a proxy keeps the connection.
    private static let silence = Duration.seconds(15)
    /// How many pushes one write has at most.
    private static let mostPushes = 5_000

    /// - Parameter sleep: How a pause passes. A test gives another clock.
    init(
        _ store: InboxStore, _ writer: EventWriter, from start: InboxPosition,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.writer = writer
        self.start = start
        self.sleep = sleep
    }

    /// Writes until the store closes, or the task is cancelled.
    func run(_ write: ([UInt8]) async throws -> Void) async throws {
        var position = start
        try await write(Array("retry: 1000\n\n".utf8))
        while !Task.isCancelled {
            let version = store.version
            let news = store.news(after: position, most: Self.mostPushes)
            if news.isClosed { return }
            let bytes = writer.events(news, after: position)
            position = news.position
            if bytes.isEmpty, news.isEmpty {
                await store.waitForChange(after: version, within: Self.silence)
                if store.version == version { try await write(Array(": still here\n\n".utf8)) }
            } else {
                if !bytes.isEmpty { try await write(bytes) }
                // Also after what does not match: it costs a look at most as often.
                try await sleep(Self.pause)
            }
        }
    }
}
