import ProcessRuntime
import Synchronization

/// Collects feedback events, to be read as a list or one by one. For programs that clean up their device tokens from
/// time to time instead of at every answer, and for tests.
///
/// ```swift
/// let log = FeedbackLog()
/// let config = PushConnection.Configuration(…, feedback: log.record)
/// // later, from any thread:
/// for event in log.drain() where event.basis == .reported { … }
/// // or, in a task of its own
/// for await event in log { … }
/// ```
/// Each event is returned once, by ``drain()``, ``next(timeout:)`` or a loop, whichever comes first. A loop ends with
/// its task.
///
/// One log may serve any number of connections. It is bounded: once it is full, newer events are dropped and counted.
public final class FeedbackLog: Sendable {
    private enum Entry: MailboxMessage {
        case event(FeedbackEvent)
        case overflowed(_ count: Int)

        var event: FeedbackEvent? { if case .event(let event) = self { event } else { nil } }
    }

    /// How many events it can hold.
    public let limit: Int
    private let mailbox: Mailbox<Entry>
    private let time = SystemTime()
    private let dropped = Atomic(0)

    /// An empty log.
    ///
    /// - Parameter limit: How many events it can hold. Default 10,000; values below 1 count as 1.
    public init(limit: Int = 10_000) {
        self.limit = Swift.max(1, limit)
        mailbox = Mailbox(limit: self.limit, time: time)
    }

    /// Adds an event, unless the log is full. Use it as a configuration's feedback handler.
    public func record(_ event: FeedbackEvent) {
        if !mailbox.post(.event(event)) { dropped.wrappingAdd(1, ordering: .relaxed) }
    }

    /// A feedback handler that calls another one and then adds the event, so an event in the log has been handled.
    ///
    /// ```swift
    /// $0.feedback = log.recording { await devices.prune($0) }
    /// ```
    /// If the handler throws, the event is also added, and the connection logs the error.
    public func recording(after handler: @escaping PushConnection.Configuration.FeedbackHandler)
        -> PushConnection.Configuration.FeedbackHandler
    {
        { event in
            defer { self.record(event) }
            try await handler(event)
        }
    }

    /// The events, oldest first. They remain in the log.
    public var events: [FeedbackEvent] { mailbox.contents.compactMap(\.event) }

    /// How many events are in it.
    public var count: Int { mailbox.count }

    /// How many events have been dropped because the log was full.
    public var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// Removes and returns the events, oldest first.
    public func drain() -> [FeedbackEvent] { mailbox.takeContents().compactMap(\.event) }
}

extension FeedbackLog: AsyncSequence {
    /// Removes and returns the oldest event; waits for one if there is none.
    ///
    /// - Parameter timeout: How long to wait. By default, without limit.
    /// - Returns: Nil if the time is over, or the task is cancelled.
    public func next(timeout: Duration? = nil) async -> FeedbackEvent? {
        let deadline = timeout.map { time.now.advanced(by: $0) }
        while let entry = await mailbox.receive(timeout: deadline.map { time.now.duration(to: $0) }) {
            if let event = entry.event { return event }
        }
        return nil
    }

    /// A reader of a log. Several may exist; they share the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: self) }

    /// Takes events out of a log.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let log: FeedbackLog

        /// The oldest event; nil if the task is cancelled.
        public mutating func next() async -> FeedbackEvent? { await log.next() }
    }
}
