import Dispatch
import FoundationEssentials
import ProcessRuntime
import PushLocking
import SupervisedPush

/// A queue in the memory of this process, for tests and examples. Its entries end with it.
///
/// Several workers of this process can share it. All functions may be called from any thread or task, and none of them
/// blocks. It never throws `unreachable`.
public final class MemoryQueue: PushQueueStore {
    private struct State {
        var entries: MemoryEntries
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The timers of the waiters.
        var timers: [Int: any OneShotTimer] = [:]
        var lastWaiter = 0
        /// When the waiters expect something to take, but for new entries; nil if they do not.
        var expected: Date?

        /// Whether the waiters should look again.
        func isNews(_ now: Date) -> Bool {
            guard !waiters.isEmpty else { return false }
            if entries.hasWaiting(now) { return true }
            // The wait for a rate is in whole milliseconds, so the same one may seem to end a millisecond earlier.
            let due = (entries.nextDue(now) ?? .distantFuture).addingTimeInterval(0.002)
            return due < (expected ?? .distantFuture)
        }
    }

    private let state: Locked<State>
    private let time: any TimeSource
    private let timerQueue = DispatchQueue(label: "push.queue.memory")

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - maxEntries: How many entries it may have, dead letters included. Default 100,000, at least 1.
    ///   - maxOutcomes: How many outcomes are kept at least, if that many come. The oldest are removed, and counted, once
    ///     there are half as many more. Default 1,000,000, at least 1.
    ///   - time: The clock that delayed entries go by. Default: the system's.
    public init(maxEntries: Int = 100_000, maxOutcomes: Int = 1_000_000, time: any TimeSource = SystemTime()) {
        self.time = time
        state = Locked(State(entries: MemoryEntries(maxEntries: max(1, maxEntries), maxOutcomes: maxOutcomes)))
    }

    private var now: Date { Date(timeIntervalSince1970: Double(time.wallClockMilliseconds) / 1_000) }

    /// Changes the entries, and wakes workers if there is something to take then.
    private func change<Value, Failure: Error>(
        _ body: (inout MemoryEntries) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = now
        let (value, waiters) = try state.withLock { state throws(Failure) in
            let value = try body(&state.entries)
            state.entries.moveDue(now)
            var waiters: [CheckedContinuation<Void, Never>] = []
            if state.isNews(now) {
                waiters = Array(state.waiters.values)
                state.waiters = [:]
                state.timers = [:]
            }
            return (value, waiters)
        }
        for waiter in waiters { waiter.resume() }
        return value
    }

    // MARK: Producers

    /// Adds entries, all or none.
    ///
    /// - Throws: `full`, or `invalidEntry` if an entry cannot be stored; nothing was added.
    public func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        for entry in entries { try EntryFields.check(entry) }
        try add(entries.map(Result.success))
    }

    /// Adds entries, also those that cannot be read.
    func add(_ entries: [Result<QueueEntry, QueueError>]) throws(QueueError) {
        let now = now
        try change { stored throws(QueueError) in try stored.enqueue(entries, now) }
    }

    /// Begins a campaign, or finds how much of it is in the queue.
    public func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace {
        let now = now
        return try change { entries throws(QueueError) in try entries.begin(campaign, input, now) }
    }

    /// Adds the entries of a batch of a campaign.
    public func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        for entry in entries { try EntryFields.check(entry) }
        let now = now
        try change { stored throws(QueueError) in try stored.enqueue(entries, as: batch, now) }
    }

    /// Removes entries that wait or are delayed.
    public func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation {
        change { $0.cancel(Set(entries)) }
    }

    /// Pauses a campaign, lets it go on, sets its rate, or cancels it.
    @discardableResult
    public func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        let now = now
        return try change { entries throws(QueueError) in try entries.steer(order, campaign: campaign, now) }
    }

    /// Pauses the queue, lets it go on, or sets its rate.
    @discardableResult
    public func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering {
        state.withLock { $0.entries.steer(order) }
    }

    // MARK: Workers

    /// Does nothing: the queue exists.
    public func open(as worker: WorkerID) async throws(QueueError) {}

    /// Takes entries.
    public func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        let now = now
        return change { entries in
            entries.moveDue(now)
            return entries.take(as: worker, tokens: tokens, now)
        }
    }

    /// Asks for leave to push tokens.
    public func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        let now = now
        return change { $0.permit(tokens, rate, now) }
    }

    /// What the worker has taken, without `known`.
    public func recover(
        as worker: WorkerID, besides known: Set<TakenEntry.Key>
    ) async throws(QueueError) -> [TakenEntry] {
        change { $0.recover(as: worker, besides: known) }
    }

    /// Stores that tokens may be sent from now on.
    ///
    /// - Throws: `fenced` if the worker does not have one of the entries any more.
    public func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        try change { entries throws(QueueError) in try entries.offer(as: worker, ends) }
    }

    /// Stores outcomes, and what becomes of the entries. What becomes of one counts only from the worker that has it.
    public func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        let now = now
        change { $0.settle(as: worker, settlements, at: now) }
    }

    /// Gives entries back. Their doubts stay what they were.
    public func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        change { $0.release(as: worker, entries) }
    }

    /// Raises the worker's counter.
    public func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        let now = now
        return change { $0.beat(as: worker, now) }
    }

    /// Takes over what a dead worker had taken.
    public func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        change { $0.reclaim(from: dead, at: counter, as: worker, limit: limit) }
    }

    /// Stores why a worker takes nothing.
    public func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        state.withLock { $0.entries.note(as: worker, note) }
    }

    /// Forgets the worker, if it has taken nothing any more.
    public func leave(as worker: WorkerID) async throws(QueueError) { change { $0.leave(as: worker) } }

    /// How often a worker has raised its counter. For tests.
    func counter(of worker: WorkerID) -> UInt64 { state.withLock { $0.entries.counters[worker] ?? 0 } }

    /// How many outcomes are stored. For tests.
    var outcomeCount: Int { state.withLock { $0.entries.outcomes.count } }

    // MARK: Waiting

    /// Returns when there is something to take, after `time`, or when the task is cancelled.
    public func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(id, continuation, upTo: time)
                // The handler may have run before there was something to cancel.
                if Task.isCancelled { end(id) }
            }
        } onCancel: {
            end(id)
        }
    }

    private func begin(_ id: Int, _ continuation: CheckedContinuation<Void, Never>, upTo limit: Duration) {
        let (instant, now) = (time.now, now)
        let timer = time.makeTimer(on: timerQueue) { [weak self] in self?.end(id) }
        var end = instant.advanced(by: max(.zero, limit))
        let isReady = state.withLock { state in
            state.entries.moveDue(now)
            guard !state.entries.hasWaiting(now) else { return true }
            state.expected = state.entries.nextDue(now)
            if let due = state.expected { end = min(end, instant.advanced(by: .seconds(due.timeIntervalSince(now)))) }
            state.waiters[id] = continuation
            state.timers[id] = timer
            timer.arm(at: end)
            return false
        }
        if isReady { continuation.resume() }
    }

    private func end(_ id: Int) {
        let waiter = state.withLock { state in
            state.timers[id] = nil
            return state.waiters.removeValue(forKey: id)
        }
        waiter?.resume()
    }

    // MARK: Readers

    /// Outcomes in the order they were stored.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        try state.withLock { state throws(QueueError) in
            try state.entries.outcomes.page(list, after: position, limit: limit, marking: marking)
        }
    }

    /// Sets how many outcomes are kept.
    public func limitOutcomes(to count: Int) async throws(QueueError) {
        state.withLock { $0.entries.outcomes.keep(count) }
    }

    /// Removes outcomes that count as read.
    public func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        try state.withLock { state throws(QueueError) in try state.entries.outcomes.trim(list, bound) }
    }

    /// The position behind the last outcome.
    public func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        state.withLock { $0.entries.outcomes.lastPosition(of: list) }
    }

    /// The dead letters, oldest first.
    public func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        state.withLock { $0.entries.deadLetters(limit: limit) }
    }

    /// Puts dead letters back into the queue. The tokens that ended because of the death get an outcome again.
    public func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        change { $0.requeue(letters) }
    }

    /// Removes dead letters.
    public func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        change { $0.discard(letters) }
    }

    /// The campaigns that the queue keeps.
    public func campaigns() async throws(QueueError) -> [CampaignStanding] {
        let now = now
        return state.withLock { $0.entries.standings(now) }
    }

    /// Why nothing of these campaigns is taken.
    public func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] {
        state.withLock { $0.entries.holds(of: campaigns) }
    }

    /// The entries that have this token without an outcome.
    public func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        let now = now
        return state.withLock { $0.entries.find(token, limit: limit, now) }
    }

    /// How the queue is steered.
    public func steering() async throws(QueueError) -> QueueSteering { state.withLock { $0.entries.steering } }

    /// How full the queue is.
    public func status() async throws(QueueError) -> QueueStatus {
        let now = now
        return state.withLock { $0.entries.status(now) }
    }
}
