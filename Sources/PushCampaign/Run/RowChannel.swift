import Dispatch
import PushLocking
import SupervisedPush

/// Passes rows from the threads of a campaign to the task that takes them. It has room for some; then a sender waits.
final class RowChannel: Sendable {
    private struct State {
        var rows: [OutcomeRow] = []
        /// The first row that was not taken.
        var next = 0
        var end: Result<Void, CampaignError>?
        var taker: CheckedContinuation<Void, Never>?
        /// Senders that wait for room.
        var waiting = 0
        var isAbandoned = false
        var onAbandon: (@Sendable () -> Void)?

        var count: Int { rows.count - next }

        mutating func take() -> OutcomeRow? {
            guard next < rows.count else { return nil }
            defer { next += 1 }
            return rows[next]
        }
    }

    private let most: Int
    private let state = Locked(State())
    /// Signalled once for each sender that waited.
    private let room = DispatchSemaphore(value: 0)

    /// - Parameter most: A sender waits while there are more.
    init(most: Int = 1_024) { self.most = most }

    // MARK: Sending

    /// Sends rows, and waits while there are too many. After the end of the taker, rows go nowhere.
    func send(_ rows: [OutcomeRow]) {
        let (taker, mustWait) = state.withLock { state in
            guard !state.isAbandoned else { return (nil as CheckedContinuation<Void, Never>?, false) }
            // What was taken is removed when the rest is small.
            if state.next > state.count {
                state.rows.removeFirst(state.next)
                state.next = 0
            }
            state.rows += rows
            let mustWait = state.count > most
            if mustWait { state.waiting += 1 }
            defer { state.taker = nil }
            return (state.taker, mustWait)
        }
        taker?.resume()
        if mustWait { room.wait() }
    }

    /// No row follows.
    ///
    /// - Parameter error: What is thrown behind the last row; nil for nothing.
    func finish(_ error: CampaignError?) {
        let taker = state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(())
            state.onAbandon = nil
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// How many senders wait for room.
    var waitingSenders: Int { state.withLock { $0.waiting } }

    // MARK: Taking

    /// The next row; nil behind the last one.
    func next(isolation actor: isolated (any Actor)?) async throws(CampaignError) -> OutcomeRow? {
        if Task.isCancelled { abandon() }
        while true {
            if let row = taken() { return row }
            let (end, isAbandoned) = state.withLock { ($0.count == 0 ? $0.end : nil, $0.isAbandoned) }
            if isAbandoned { throw CampaignError(.cancelled, "The task that took the campaign's rows was cancelled.") }
            if let end {
                // The error is thrown once.
                state.withLock { $0.end = .success(()) }
                try end.get()
                return nil
            }
            await waitForRow(isolation: actor)
        }
    }

    private func taken() -> OutcomeRow? {
        let (row, senders) = state.withLock { state in
            guard !state.isAbandoned else { return (nil as OutcomeRow?, 0) }
            let row = state.take()
            guard state.waiting > 0, state.count <= most / 2 else { return (row, 0) }
            defer { state.waiting = 0 }
            return (row, state.waiting)
        }
        for _ in 0..<senders { room.signal() }
        return row
    }

    private func waitForRow(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                let isReady = state.withLock { state in
                    guard state.count == 0, state.end == nil, !state.isAbandoned else { return true }
                    state.taker = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            abandon()
        }
    }

    // MARK: The end of the taker

    /// Calls this once when nobody takes rows any more; at once if that is so already.
    func onAbandon(_ body: @escaping @Sendable () -> Void) {
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.onAbandon = body }
            return state.isAbandoned
        }
        if isAbandoned { body() }
    }

    /// Nobody takes rows any more.
    func abandon() {
        // Before the senders know, because each then finds room for all it has.
        let first = state.withLock { state in
            defer { state.onAbandon = nil }
            return state.onAbandon
        }
        first?()
        let (taker, senders, onAbandon) = state.withLock { state in
            state.isAbandoned = true
            state.rows = []
            state.next = 0
            defer { (state.taker, state.waiting, state.onAbandon) = (nil, 0, nil) }
            return (state.taker, state.waiting, state.onAbandon)
        }
        taker?.resume()
        for _ in 0..<senders { room.signal() }
        onAbandon?()
    }
}
