import PushLocking

/// Collects feedback events, to be read as a list: for those who clean up their device tokens now and then, and not at
/// every answer.
///
/// ```swift
/// let log = FeedbackLog()
/// let config = ConnectionConfig(…, feedback: log.record)
/// // later, from any thread:
/// for event in log.drain() where event.basis == .reported { … }
/// ```
/// One log may serve any number of connections. It is bounded: once it is full, newer events are dropped and counted.
public final class FeedbackLog: Sendable {
    private struct State {
        var events: [FeedbackEvent] = []
        var dropped = 0
    }

    /// How many events it holds.
    public let limit: Int
    private let state = Locked(State())

    /// An empty log.
    ///
    /// - Parameter limit: how many events it holds; at least 1, smaller values count as 1. Default 10,000.
    public init(limit: Int = 10_000) { self.limit = max(1, limit) }

    /// Adds an event, unless the log is full: what to give to a configuration as its feedback handler.
    public func record(_ event: FeedbackEvent) {
        state.withLock { state in
            if state.events.count < limit { state.events.append(event) } else { state.dropped += 1 }
        }
    }

    /// The events, oldest first. They stay.
    public var events: [FeedbackEvent] { state.withLock { $0.events } }

    /// How many events are in it.
    public var count: Int { state.withLock { $0.events.count } }

    /// How many events were dropped because it was full, since it was made.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Takes the events out, oldest first: each is given once.
    public func drain() -> [FeedbackEvent] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }
}
