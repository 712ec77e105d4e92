import DequeModule
import Dispatch
import ProcessRuntime
import PushLocking

/// Collects feedback events, to be read as a list or as they come: for those who clean up their device tokens now and
/// then, and not at every answer, and for tests.
///
/// ```swift
/// let log = FeedbackLog()
/// let config = ConnectionConfig(…, feedback: log.record)
/// // later, from any thread:
/// for event in log.drain() where event.basis == .reported { … }
/// // or, in a task of its own
/// for await event in log { … }
/// ```
/// Each event is taken out once, by ``drain()``, ``next(timeout:)`` or a loop, whichever comes first. A loop ends with
/// its task.
///
/// One log may serve any number of connections. It is bounded: once it is full, newer events are dropped and counted.
public final class FeedbackLog: Sendable {
    private struct State {
        var events: Deque<FeedbackEvent> = []
        var dropped = 0
        var waiters: [(id: Int, receiver: HandOver<FeedbackEvent?>)] = []
        var lastWaiter = 0
    }

    /// How many events it holds.
    public let limit: Int
    private let state = Locked(State())

    /// An empty log.
    ///
    /// - Parameter limit: How many events it holds; at least 1, smaller values count as 1. Default 10,000.
    public init(limit: Int = 10_000) { self.limit = Swift.max(1, limit) }

    /// Adds an event, unless the log is full: what to give to a configuration as its feedback handler.
    public func record(_ event: FeedbackEvent) {
        let receiver = state.withLock { state -> HandOver<FeedbackEvent?>? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst().receiver }
            if state.events.count < limit { state.events.append(event) } else { state.dropped += 1 }
            return nil
        }
        receiver?.resume(returning: event)
    }

    /// A feedback handler that calls another one, and then adds the event: who finds it here knows that it was handled.
    ///
    /// ```swift
    /// $0.feedback = log.recording { await devices.prune($0) }
    /// ```
    /// An event whose handler throws is added, too, before the error goes on to the connection, which logs it.
    public func recording(after handler: @escaping ConnectionConfig.FeedbackHandler) -> ConnectionConfig.FeedbackHandler
    {
        { event in
            defer { self.record(event) }
            try await handler(event)
        }
    }

    /// The events, oldest first. They stay.
    public var events: [FeedbackEvent] { state.withLock { Array($0.events) } }

    /// How many events are in it.
    public var count: Int { state.withLock { $0.events.count } }

    /// How many events were dropped because it was full, since it was made.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Takes the events out, oldest first: each is given once.
    public func drain() -> [FeedbackEvent] {
        state.withLock { state in
            defer { state.events = [] }
            return Array(state.events)
        }
    }
}

extension FeedbackLog: AsyncSequence {
    /// Takes the oldest event out; waits for one if there is none.
    ///
    /// - Parameter timeout: How long to wait at most. By default, until there is one.
    /// - Returns: Nil if the time is over, or the task is cancelled.
    public func next(timeout: Duration? = nil) async -> FeedbackEvent? {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = timeout.map { _ in
            SystemTime().makeTimer(on: .global(qos: .userInitiated)) { [weak self] in self?.giveUp(id) }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withHandOver { receiver in
                let event = state.withLock { state in
                    let event = state.events.popFirst()
                    if event == nil { state.waiters.append((id, receiver)) }
                    return event
                }
                if let event { return receiver.resume(returning: event) }
                // The handler below may have run before there was anything to give up.
                if Task.isCancelled { giveUp(id) }
                if let timeout { timer?.arm(at: SystemTime().now.advanced(by: timeout)) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: Int) {
        let receiver = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).receiver }
        }
        receiver?.resume(returning: nil)
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
