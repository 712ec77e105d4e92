import DequeModule
import Dispatch
import ProcessRuntime
import PushLocking

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
    private struct State {
        var events: Deque<FeedbackEvent> = []
        var dropped = 0
        var waiters: [(id: Int, receiver: HandOver<FeedbackEvent?>)] = []
        var lastWaiter = 0
    }

    /// How many events it can hold.
    public let limit: Int
    private let state = Locked(State())

    /// An empty log.
    ///
    /// - Parameter limit: How many events it can hold. Default 10,000; values below 1 count as 1.
    public init(limit: Int = 10_000) { self.limit = Swift.max(1, limit) }

    /// Adds an event, unless the log is full. Use it as a configuration's feedback handler.
    public func record(_ event: FeedbackEvent) {
        let receiver = state.withLock { state -> HandOver<FeedbackEvent?>? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst().receiver }
            if state.events.count < limit { state.events.append(event) } else { state.dropped += 1 }
            return nil
        }
        receiver?.resume(returning: event)
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
    public var events: [FeedbackEvent] { state.withLock { Array($0.events) } }

    /// How many events are in it.
    public var count: Int { state.withLock { $0.events.count } }

    /// How many events have been dropped because the log was full.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Removes and returns the events, oldest first.
    public func drain() -> [FeedbackEvent] {
        state.withLock { state in
            defer { state.events = [] }
            return Array(state.events)
        }
    }
}

extension FeedbackLog: AsyncSequence {
    /// Removes and returns the oldest event; waits for one if there is none.
    ///
    /// - Parameter timeout: How long to wait. By default, without limit.
    /// - Returns: Nil if the time is over, or the task is cancelled.
    public func next(timeout: Duration? = nil) async -> FeedbackEvent? {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = timeout.map { _ in
            SystemTime().makeTimer(on: .global(qos: .userInitiated)) { [weak self] in self?.stopWaiting(id) }
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
                // The cancellation handler may have run before there was a reader to remove.
                if Task.isCancelled { stopWaiting(id) }
                if let timeout { timer?.arm(at: SystemTime().now.advanced(by: timeout)) }
            }
        } onCancel: {
            stopWaiting(id)
        }
    }

    private func stopWaiting(_ id: Int) {
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
