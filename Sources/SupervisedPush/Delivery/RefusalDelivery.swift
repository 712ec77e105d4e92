import DequeModule
import Dispatch
import Glibc
import PushLocking

/// Calls the completions of pushes that were refused at the call, on a queue – as long as not too many wait there.
///
/// A completion that blocks stops its queue, and what is refused is counted nowhere else: so while the queue holds as
/// many as it may, the caller's own thread does the call. There one refusal never runs within another, however often a
/// completion pushes again: the thread does them one by one.
final class RefusalDelivery: Sendable {
    typealias Call = @Sendable () -> Void

    private struct State {
        var queued = 0
        /// What the threads that call by themselves still have to call.
        var onThreads: [pthread_t: Deque<Call>] = [:]
    }

    private enum Place { case queue, here, behind }

    private let queue: DispatchQueue
    private let limit: Int
    private let state = Locked(State())

    /// - Parameter limit: How many calls the queue holds at most. Default 10,000.
    init(on queue: DispatchQueue, limit: Int = 10_000) {
        self.queue = queue
        self.limit = limit
    }

    func call(_ call: @escaping Call) {
        let thread = pthread_self()
        let place = state.withLock { state -> Place in
            if state.onThreads[thread] != nil {
                state.onThreads[thread]?.append(call)
                return .behind
            }
            if state.queued < limit {
                state.queued += 1
                return .queue
            }
            state.onThreads[thread] = []
            return .here
        }
        switch place {
        case .queue:
            queue.async {
                self.state.withLock { $0.queued -= 1 }
                call()
            }
        case .here:
            call()
            while let next = nextCall(on: thread) { next() }
        case .behind: break
        }
    }

    private func nextCall(on thread: pthread_t) -> Call? {
        state.withLock { state in
            if let next = state.onThreads[thread]?.popFirst() { return next }
            state.onThreads[thread] = nil
            return nil
        }
    }
}
