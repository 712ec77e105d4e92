import DequeModule
import Dispatch
import Glibc
import PushLocking

/// Calls the completions of pushes that the call refused, on a queue, as long as not too many wait there.
///
/// A completion that blocks stops its queue, and refusals are bounded nowhere else. While the queue is full, the
/// caller's own thread therefore calls the completion. There, one refusal never runs within another, however often a
/// completion pushes again: the thread performs them one by one.
final class RefusalDelivery: Sendable {
    typealias Call = @Sendable () -> Void

    private struct State {
        var queued = 0
        /// The calls still to be made by callers' own threads.
        var onThreads: [pthread_t: Deque<Call>] = [:]
    }

    private enum Place { case queue, here, behind }

    private let queue: DispatchQueue
    private let limit: Int
    private let state = Locked(State())

    /// - Parameter limit: How many calls the queue holds. Default 10,000.
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
