import DequeModule
import Dispatch
import Glibc
import PushLocking

/// Calls the completions of pushes that the call refused, on a queue, as long as not too many wait there.
///
/// A completion that blocks stops its queue, and refusals are bounded nowhere else. While the queue is full, the
/// caller's own thread therefore calls the completion. There, one refusal never runs within another, however often a
/// completion pushes again: the thread performs them one by one.
///
/// In an overload refusals follow each other closely, and a block of the queue for each would cost more than the rest
/// of the call. Those that no outcome separates share a block.
final class RefusalDelivery: Sendable {
    /// A refusal, and whom to call with it.
    struct Call {
        let completion: @Sendable (OutcomeReceiver.Outcome) -> Void
        let error: PushError

        func make() { completion(.failure(error)) }
    }

    /// The calls of one block of the queue. Accessed under the lock.
    private final class Batch: @unchecked Sendable {
        var calls: [Call] = []

        init(_ call: Call, capacity: Int) {
            calls.reserveCapacity(capacity)
            calls.append(call)
        }
    }

    private struct State {
        /// The calls that wait on the queue. Those of a batch that has begun do not count.
        var queued = 0
        /// The batch that further calls join; nil if the next one begins a batch.
        var open: Batch?
        /// The calls still to be made by callers' own threads.
        var onThreads: [pthread_t: Deque<Call>] = [:]
    }

    private enum Place {
        case queue, here, behind
    }

    private let queue: DispatchQueue
    private let limit: Int
    private let largestBatch: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: How many calls the queue holds. Default 10,000.
    ///   - largestBatch: How many calls share a block at most: 1 for a concurrent queue, where a completion that blocks
    ///     delays no other. Default 24: their list has less than a kilobyte. A longer one makes `malloc` merge
    ///     its small free blocks, for which the next pushes pay.
    init(on queue: DispatchQueue, limit: Int = 10_000, largestBatch: Int = 24) {
        self.queue = queue
        self.limit = limit
        self.largestBatch = largestBatch
    }

    func call(_ completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void, with error: PushError) {
        let (thread, call) = (pthread_self(), Call(completion: completion, error: error))
        switch state.withLock({ place(call, on: thread, in: &$0) }) {
        case .here:
            call.make()
            while let next = nextCall(on: thread) { next.make() }
        case .queue, .behind: break
        }
    }

    /// What is put on the queue now comes before later refusals.
    func endBatch() { _ = state.withLock { $0.open.take() } }

    private func place(_ call: Call, on thread: pthread_t, in state: inout State) -> Place {
        if !state.onThreads.isEmpty, state.onThreads[thread] != nil {
            state.onThreads[thread]?.append(call)
            return .behind
        }
        guard state.queued < limit else {
            state.onThreads[thread] = []
            return .here
        }
        state.queued += 1
        if let open = state.open, open.calls.count < largestBatch {
            open.calls.append(call)
            return .queue
        }
        let batch = Batch(call, capacity: largestBatch)
        state.open = batch
        // Under the lock, so that no other thread's call joins a batch that is not yet in its place on the queue.
        queue.async { self.run(batch) }
        return .queue
    }

    private func run(_ batch: Batch) {
        let calls = state.withLock { state in
            if state.open === batch { state.open = nil }
            state.queued -= batch.calls.count
            return batch.calls
        }
        for call in calls { call.make() }
    }

    private func nextCall(on thread: pthread_t) -> Call? {
        state.withLock { state in
            if let next = state.onThreads[thread]?.popFirst() { return next }
            state.onThreads[thread] = nil
            return nil
        }
    }
}
