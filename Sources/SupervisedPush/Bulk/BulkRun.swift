import DequeModule
import Dispatch
import ProcessRuntime
import PushLocking

/// One bulk, from the first request for an outcome to the last outcome. It performs what the ``BulkMachine`` decides.
///
/// Four threads work on it: the reader's task, which takes pushes from the source and offers them; the connection's
/// delivery queue, which brings outcomes; a timer; and the consumer, who takes all available outcomes at once. One lock
/// guards what they share. Under it, they only arm the timer and look at the state of the target.
///
/// Nothing refers to it weakly: each push counts its references several times, and each count would be slow. Its end
/// lets go of the timer and of the target, which refer to it, and it ends with its iterator at the latest.
final class BulkRun: Sendable {
    struct State {
        var machine: BulkMachine
        var actions: [BulkMachine.Action] = []
        var slots = BulkSlots()
        var outcomes = Deque<BulkResult>()
        /// Pushes that timed out in flight and whose late ends are reported, by their tickets.
        var late: [Int: BulkResult] = [:]
        /// A run that the reader has not begun.
        var grant: Int?
        var reader: CheckedContinuation<Int?, Never>?
        var consumer: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
        var timer: (any OneShotTimer)?
        var alarm = EarliestAlarm()
        var watch: Int?
        var ending: BulkMachine.Ending?
        var sourceError: (any Error)?
        var targetError: PushError?
        /// The latest answer about the sender or the service.
        var latestRefusal: PushResponse?
    }

    /// What is done without the lock.
    private struct Effects {
        var reader: CheckedContinuation<Int?, Never>?
        var grant: Int?
        var consumer: CheckedContinuation<Void, Never>?
        var stopsReader = false
        var reading: Task<Void, Never>?
        var cancelled: [PushRecord] = []
        var again: [Int] = []
        /// A pause that began or goes on; a nil inside: it ended.
        var pause: PushPause??
        /// Outcomes that no consumer takes any more. Their contexts are the caller's, so they are released without the
        /// lock.
        var forgotten = Deque<BulkResult>()
        var isFinished = false
    }

    let target: BatchTarget
    private let options: PushOptions
    let maxOutage: Duration
    private let maxWindow: Int
    let tellsLateEnds: Bool
    private let onStop: (@Sendable () -> Void)?
    private let onPause: (@Sendable (PushPause?) -> Void)?
    let state: Locked<State>

    /// A run that has not begun. It can already be stopped.
    init(_ target: BatchTarget, _ options: BulkOptions, tellsLateEnds: Bool = false) {
        self.target = target
        self.tellsLateEnds = tellsLateEnds
        self.options = options.ofEachPush
        maxOutage = options.maxOutage
        maxWindow = max(1, options.window ?? .max)
        onStop = options.onStop
        onPause = options.onPause
        let machine = BulkMachine(
            window: min(target.capacity ?? target.expectedCapacity, maxWindow), maxOutage: options.maxOutage,
            rate: options.rate,
            readAhead: options.readAhead, resends: options.resendsRefused, target.time.now)
        state = Locked(State(machine: machine))
    }

    /// Begins reading the source.
    func begin(_ source: any BulkSource) {
        guard state.withLock({ $0.ending == nil }) else { return }
        let timer = target.time.makeTimer(on: target.timerQueue) { [self] in ticked() }
        // A source that blocks its thread must not hold up other tasks.
        let task = Task(executorPreference: QueueExecutor(label: "push.bulk")) { await source.feed(self) }
        state.withLock { state in
            state.timer = timer
            state.task = task
        }
        let watch = target.watch { [self] in targetChanged() }
        let isOver = state.withLock { state in
            state.watch = watch
            return state.ending != nil
        }
        if isOver { return cleanUp() }
        targetChanged()
    }

    // MARK: The target and the timer

    private func targetChanged() {
        if let error = target.end { return targetEnded(error) }
        // Read under the lock, so that of two concurrent calls the later one counts.
        handle { [target] _ in target.isUp ? .linkUp : .linkDown }
    }

    private func targetEnded(_ error: PushError) {
        handle { state in
            state.targetError = state.targetError ?? error
            return .targetEnded
        }
    }

    private func ticked() {
        // The time that the timer waits for may be over.
        targetChanged()
        handle { _ in .tick }
    }

    // MARK: The reader

    /// How many elements the reader may read next; nil once it must not read any more.
    func nextGrant() async -> Int? {
        await withCheckedContinuation { continuation in
            let (isThere, grant) = state.withLock { state -> (Bool, Int?) in
                if state.grant == nil, state.ending == nil {
                    state.reader = continuation
                    return (false, nil)
                }
                defer { state.grant = nil }
                return (true, state.ending == nil ? state.grant : nil)
            }
            if isThere { continuation.resume(returning: grant) }
        }
    }

    /// Whether the present run may continue.
    var mayRead: Bool { state.withLock { $0.machine.mayRead } }

    /// Gives a push its id and its times; it is not offered yet.
    func issue(_ push: Push) -> PushRecord { target.outbox.issue(push, options: options) }

    /// The same for an item.
    func issue(_ item: BulkItem) -> PushRecord { target.outbox.issue(item, options) }

    /// Hands over pushes that were read; false if the run must end.
    func offer(_ batch: [(record: PushRecord, index: Int)]) -> Bool {
        guard !batch.isEmpty else { return mayRead }
        let (pushes, machine) = state.withLock { state in
            let pushes = batch.map { (record: $0.record, ticket: state.slots.insert($0.record, index: $0.index)) }
            return (pushes, (state.machine.stopped, state.machine.isWithdrawn, state.machine.mayRead))
        }
        let (stopped, isWithdrawn, goesOn) = machine
        // If the consumer has gone, the outcomes do not matter.
        guard stopped != .cancelled else { return false }
        hand(pushes, isWithdrawn: isWithdrawn)
        return goesOn
    }

    private func hand(_ batch: [(record: PushRecord, ticket: Int)], isWithdrawn: Bool) {
        let refused =
            isWithdrawn
            ? batch.map { SettledPush(refused: $0.record, $0.ticket, .cancelledBeforeTheCall($0.record.id)) }
            : target.offer(batch, to: self, whenFull: options.whenFull, options)
        guard !refused.isEmpty else { return }
        collect(refused)
        if let error = refused.lazy.compactMap(\.outcome.endsTarget).first { targetEnded(target.end ?? error) }
    }

    /// Pushes were refused, and go again: with the same apns-id, and within the same absolute times.
    private func pushAgain(_ tickets: [Int]) {
        let records = state.withLock { state in tickets.map { state.slots.record(of: $0) } }
        let batch = zip(tickets, records).compactMap { ticket, record in
            record.map { (record: target.issue(again: $0, options), ticket: ticket) }
        }
        let (isOver, isWithdrawn) = state.withLock { state in
            for (record, ticket) in batch { state.slots.replace(ticket, by: record) }
            return (state.machine.stopped == .cancelled, state.machine.isWithdrawn)
        }
        if !isOver { hand(batch, isWithdrawn: isWithdrawn) }
    }

    func ran(read count: Int) { handle { _ in .read(count) } }

    func sourceEnded(read count: Int) { handle { _ in .sourceEnded(read: count) } }

    func sourceFailed(_ error: any Error, read count: Int) {
        handle { state in
            state.sourceError = error
            return .sourceFailed(read: count)
        }
    }

    // MARK: The consumer

    /// What is available for the consumer.
    enum Supply {
        case outcomes
        case nothing
        /// Nothing will follow.
        case over((any Error)?)
    }

    /// Moves all available outcomes to the consumer, who has none left. Also reports how many it has taken since the
    /// last call.
    func supply(_ outcomes: inout Deque<BulkResult>, taken: Int) -> Supply {
        if taken > 0 { took(taken) }
        var over: (ending: BulkMachine.Ending, error: (any Error)?)?
        state.withLock { state in
            if state.outcomes.isEmpty, let ending = state.ending { over = (ending, state.error) }
            swap(&outcomes, &state.outcomes)
        }
        switch over?.ending {
        case nil: return outcomes.isEmpty ? .nothing : .outcomes
        case .outage?: return .over(target.outage(of: maxOutage))
        case .refused(let subject)?: return .over(PushError.refused(subject, latestRefusal, for: maxOutage))
        case _?: return .over(over?.error)
        }
    }

    private var latestRefusal: PushResponse? { state.withLock { $0.latestRefusal } }

    /// The consumer has taken this many outcomes.
    func took(_ count: Int) { handle { _ in .taken(count) } }

    /// Returns once something is available for the consumer.
    func wait(_ continuation: CheckedContinuation<Void, Never>) {
        let isReady = state.withLock { state in
            if !state.outcomes.isEmpty || state.ending != nil { return true }
            state.consumer = continuation
            return false
        }
        if isReady { continuation.resume() }
    }

    /// The consumer goes: nothing is read any more, pushes without an outcome are cancelled, outcomes not taken are
    /// dropped.
    func cancel() { handle { _ in .cancelled } }

    /// Reads no more. Pushes that were read have this time to get their outcome.
    func stop(within time: Duration) { handle { _ in .stop(within: time) } }

    // MARK: Performing

    func handle(_ event: (inout State) -> BulkMachine.Event) {
        let now = target.time.now
        let effects = state.withLock { state in
            let event = event(&state)
            state.machine.window = min(target.capacity ?? target.expectedCapacity, maxWindow)
            return decide(event, now, &state)
        }
        perform(effects)
    }

    private func decide(_ event: BulkMachine.Event, _ now: MonotonicInstant, _ state: inout State) -> Effects {
        var effects = Effects()
        state.machine.handle(event, now, into: &state.actions)
        for action in state.actions { apply(action, &state, &effects) }
        state.actions.removeAll(keepingCapacity: true)
        if event == .tick { state.alarm.fired() }
        if let wake = state.machine.nextWake, state.alarm.mustArm(for: wake, now) { state.timer?.arm(at: wake) }
        return effects
    }

    /// Performs one action of an event. An event may wake the same continuation twice: an answer that ends the bulk does.
    private func apply(_ action: BulkMachine.Action, _ state: inout State, _ effects: inout Effects) {
        switch action {
        case .read(let count):
            effects.reader = effects.reader ?? state.reader.take()
            if effects.reader == nil { state.grant = count } else { effects.grant = count }
        case .wakeConsumer:
            if !state.outcomes.isEmpty { effects.consumer = effects.consumer ?? state.consumer.take() }
        case .stopReader: (effects.stopsReader, effects.reading) = (true, state.task)
        case .cancelAll: effects.cancelled = state.slots.records
        case .pushAgain(let tickets): effects.again += tickets
        case .end(let tickets): for ticket in tickets { state.endRefused(ticket) }
        case .tellPause(let subject, let probe):
            guard let response = state.latestRefusal else { break }
            effects.pause = PushPause(response: response, judges: subject, nextProbe: probe)
        case .tellResumption: effects.pause = .some(nil)
        case .finish(let ending):
            state.ending = ending
            if ending == .cancelled { swap(&effects.forgotten, &state.outcomes) }
            effects.consumer = effects.consumer ?? state.consumer.take()
            effects.reader = effects.reader ?? state.reader.take()
            effects.isFinished = true
        }
    }

    private func perform(_ effects: Effects) {
        if let pause = effects.pause { onPause?(pause) }
        effects.reading?.cancel()
        if effects.stopsReader { onStop?() }
        effects.reader?.resume(returning: effects.grant)
        effects.consumer?.resume()
        // The latest first: a free stream must not go to a push that is about to be cancelled, too.
        for record in effects.cancelled.sorted(by: { $0.id > $1.id }) { target.cancel(record) }
        if !effects.again.isEmpty { pushAgain(effects.again) }
        if effects.isFinished { cleanUp() }
    }

    private func cleanUp() {
        let (timer, watch, _) = state.withLock { state in
            (state.timer.take(), state.watch.take(), state.task.take())
        }
        timer?.cancel()
        if let watch { target.unwatch(watch) }
    }
}
