import Dispatch
import FoundationEssentials
import ProcessRuntime
import PushLocking
import SupervisedPush

/// One worker from its start to its end. It performs what the ``WorkerMachine`` decides.
///
/// Its serial queue owns everything below. Calls to the store run in tasks of their own, results of pushes come from the
/// connection's delivery queue; both post to that queue.
final class WorkerRun: @unchecked Sendable {
    // Sendable: `inbox`, `watch` and `waiting` have locks. All other variables are used on `queue` only.

    /// What came since the inbox was last emptied.
    private struct Inbox {
        var ended: [[SettledPush]] = []
        /// Behind all that ended before.
        var late: [LatePush] = []
        var isScheduled = false
    }

    /// How the caller of `run` waits.
    private enum Waiting {
        case notBegun
        case running(HandOver<(any Error)?>?)
        case over((any Error)?)
    }

    let store: any PushQueueStore
    let id: WorkerID
    let time: any TimeSource
    private let connection: PushConnection
    private let target: BatchTarget
    /// How many tokens it has pushed and not settled, at most.
    private let maxTokens: Int
    private let queue = DispatchQueue(label: "push.worker")
    private let inbox = Locked(Inbox())
    private let watch: WorkerWatch
    private let waiting = Locked(Waiting.notBegun)

    private(set) var machine: WorkerMachine
    private var actions: [WorkerMachine.Action] = []
    private var pushes: PushBatches?
    private var books = WorkerBooks()
    /// Pushes that are handed over together, and when they end.
    private var batch: (pushes: [BatchedPush], end: MonotonicInstant?) = ([], nil)
    private var timer: (any OneShotTimer)?
    private var alarm = EarliestAlarm()
    private var nextRoom: MonotonicInstant?
    /// When the store is asked how the queue is steered; nil while it is asked, and before the store is open.
    var nextSteering: MonotonicInstant?
    /// Pushes that timed out in flight, by their tickets, until their late ends come.
    private var timedOut: [Int: SettledPush] = [:]
    /// The number under which it watches where its links stand.
    private var linkWatch: Int?
    private var wait: Task<Void, Never>?
    /// For the next attempt to open the store.
    private var reopen: (any OneShotTimer)?
    /// The latest answer about the sender or the service.
    private var latestRefusal: PushResponse?
    private var isAbandoned = false
    private var error: (any Error)?

    /// How often the links are asked what they take, at least, and at most when pushes end.
    private static let longestLook = Duration.seconds(1)
    private static let shortestLook = Duration.milliseconds(100)

    init(
        _ store: any PushQueueStore, over connection: PushConnection, as id: WorkerID,
        _ configuration: PushWorker.Configuration, time: any TimeSource
    ) {
        self.store = store
        self.connection = connection
        target = BatchTarget(connection)
        maxTokens = max(1, configuration.maxTokens ?? .max)
        self.id = id
        self.time = time
        let metrics = WorkerMetrics(configuration.metrics, name: connection.name)
        watch = WorkerWatch(configuration.onEvent, metrics: metrics, time: time)
        machine = WorkerMachine(id, rate: configuration.rate)
    }

    var status: PushWorker.Status { watch.status }

    // MARK: Its life

    func run() async throws {
        let isFirst = waiting.withLock { waiting in
            guard case .notBegun = waiting else { return false }
            waiting = .running(nil)
            return true
        }
        guard isFirst else { throw QueueError(.failed, "A worker runs once. Make another one, with another name.") }
        queue.async { self.begin() }
        let error = await withHandOver { handOver in
            let end = waiting.withLock { waiting -> Waiting? in
                if case .over = waiting { return waiting }
                waiting = .running(handOver)
                return nil
            }
            if case .over(let error)? = end { handOver.resume(returning: error) }
        }
        if let error { throw error }
    }

    private func begin() {
        // It may have been stopped before it began.
        guard !machine.isFinished else { return end() }
        timer = time.makeTimer(on: queue) { [weak self] in self?.ticked() }
        pushes = PushBatches(
            over: target, whenEnded: { [weak self] ended in self?.collect { $0.ended.append(ended) } },
            whenLate: { [weak self] late in self?.collect { $0.late += late } })
        linkWatch = target.watch { [weak self] in self?.post { $0.look() } }
        open()
        look()
    }

    func stop(within time: Duration) { post { $0.handle(.stop(within: time)) } }

    func pace(_ rate: QueueRate?) { post { $0.handle(.paced(rate)) } }

    /// Returns once the queue has turned.
    func turn() async {
        await withHandOver(of: Void.self) { handOver in post { _ in handOver.resume(returning: ()) } }
    }

    func abandon() {
        post { run in
            guard !run.machine.isFinished else { return }
            run.isAbandoned = true
            run.error = CancellationError()
            run.end()
        }
    }

    private func fail(_ error: any Error) {
        self.error = self.error ?? error
        handle(.stop(within: .zero))
    }

    private func end() {
        timer?.cancel()
        if let linkWatch { target.unwatch(linkWatch) }
        wait?.cancel()
        (timer, linkWatch, wait, pushes) = (nil, nil, nil, nil)
        books.removeAll()
        watch.ended()
        let error = error
        let handOver = waiting.withLock { waiting -> HandOver<(any Error)?>? in
            guard case .running(let handOver) = waiting else { return nil }
            waiting = .over(error)
            return handOver
        }
        handOver?.resume(returning: error)
    }

    // MARK: Events

    func post(_ body: @escaping @Sendable (WorkerRun) -> Void) {
        queue.async { body(self) }
    }

    private func ticked() {
        alarm.fired()
        if let nextSteering, nextSteering <= time.now { askForSteering() }
        if let nextRoom, nextRoom <= time.now { look() } else { handle(.tick) }
    }

    /// Asks the links what they take.
    private func look() {
        nextRoom = time.now.advanced(by: Self.longestLook)
        if target.end != nil, error == nil {
            handle(.room(0))
            return fail(PushError(.closed, certainty: .notSent, description: "The worker's connection has ended."))
        }
        handle(.room(min(target.capacity ?? 0, maxTokens, max(1, connection.load.limit))))
    }

    func handle(_ event: WorkerMachine.Event) {
        guard !isAbandoned, !machine.isFinished else { return }
        machine.handle(event, time.now, into: &actions)
        let actions = actions
        self.actions.removeAll(keepingCapacity: true)
        for action in actions { perform(action) }
        offerBatch()
        arm()
        watch.publish(machine)
    }

    private func arm() {
        guard let wake = [machine.nextWake, nextRoom, nextSteering].compactMap(\.self).min() else { return }
        if alarm.mustArm(for: wake, time.now) { timer?.arm(at: wake) }
    }

    // MARK: Results of pushes

    private func collect(_ add: (inout Inbox) -> Void) {
        let isFirst = inbox.withLock { inbox in
            add(&inbox)
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if isFirst { queue.async { self.settle() } }
    }

    private func settle() {
        let (lists, late) = inbox.withLock { inbox in
            inbox.isScheduled = false
            defer { (inbox.ended, inbox.late) = ([], []) }
            return (inbox.ended, inbox.late)
        }
        guard !isAbandoned else { return }
        handle(.ended(endings(lists, late)))
        if let nextRoom, time.now.duration(to: nextRoom) < Self.longestLook - Self.shortestLook { look() }
    }

    /// Keeps how pushes ended.
    private func endings(_ lists: [[SettledPush]], _ late: [LatePush]) -> [WorkerMachine.Ended] {
        let wall = time.wallClockMilliseconds
        var tickets = books.tickets
        var endings: [WorkerMachine.Ended] = []
        endings.reserveCapacity(late.count + lists.reduce(0) { $0 + $1.count })
        for list in lists {
            for push in list {
                if push.isFinal {
                    end(push, with: push.outcome, at: wall, tickets: &tickets, endings: &endings)
                } else {
                    timedOut[push.ticket] = push
                }
            }
        }
        for late in late {
            guard let push = timedOut.removeValue(forKey: late.ticket) else { continue }
            end(push, with: late.end.result ?? push.outcome, at: wall, tickets: &tickets, endings: &endings)
        }
        return endings
    }

    private func end(
        _ push: SettledPush, with result: Result<PushResponse, PushError>, at wall: Int64,
        tickets: inout WorkerBooks.Tickets, endings: inout [WorkerMachine.Ended]
    ) {
        guard let (book, index) = tickets.find(push.ticket) else { return }
        let ending = book.end(index, result, attempts: Int(push.attempts), wallClock: wall)
        endings.append(WorkerMachine.Ended(book.key, index: index, ending: ending, evidence: evidence(result, book)))
    }

    /// The late ends are not waited for any more.
    private func giveUpLateEnds() {
        var (tickets, endings) = (books.tickets, [WorkerMachine.Ended]())
        for push in timedOut.values.sorted(by: { $0.ticket < $1.ticket }) {
            end(push, with: push.outcome, at: time.wallClockMilliseconds, tickets: &tickets, endings: &endings)
        }
        timedOut = [:]
        if !endings.isEmpty { handle(.ended(endings)) }
    }

    private func evidence(
        _ result: Result<PushResponse, PushError>, _ book: WorkerBook
    ) -> WorkerMachine.Evidence {
        let evidence = result.evidence(namesTopic: book.namesTopic)
        if case .refused = evidence, case .success(let response) = result { latestRefusal = response }
        return evidence
    }

    // MARK: Actions

    private func perform(_ action: WorkerMachine.Action) {
        if case .push(let key, let tokens, let end) = action { return push(key, tokens, by: end) }
        offerBatch()
        switch action {
        case .take, .permit, .recover, .reclaim, .offer, .settle, .release, .beat, .leave: call(action)
        case .wait(let time): wait(upTo: time)
        case .push: break
        case .withdraw(let key): withdraw(key)
        case .forget(let key): books.remove(key)
        case .tell(let news): watch.tell(news, latestRefusal)
        case .finished: end()
        }
    }

    /// Adds pushes to the batch.
    private func push(_ key: TakenEntry.Key, _ tokens: [Int], by end: MonotonicInstant) {
        guard let book = books[key] else { return }
        if batch.end != end { offerBatch() }
        batch.end = end
        book.add(tokens, to: &batch.pushes)
    }

    /// Hands the batch over.
    private func offerBatch() {
        guard let end = batch.end else { return }
        let list = batch.pushes
        batch = ([], nil)
        // It limits the wait for a link, and also the one for the answer. A heartbeat comes every three seconds, so
        // an answer has seven at least.
        // Read in this order, so that a pause of the process in between makes the deadline earlier, not later.
        let now = ContinuousClock.now
        let left = time.now.duration(to: end)
        let options = PushOptions(deadline: now + left, timeoutStart: .write)
        var tickets = books.tickets
        for push in pushes?.offer(list, options: options) ?? [] {
            if let (book, index) = tickets.find(push.ticket) { book.keep(push, of: index) }
        }
    }

    /// Cancels what was not written, the latest first: a free stream must not go to a push that is cancelled next.
    private func withdraw(_ key: TakenEntry.Key?) {
        if let pushes {
            for push in books.pushes(of: key) where pushes.attempts(of: push) == 0 { pushes.cancel(push) }
        }
        // What a stop leaves without an answer would be in doubt.
        if machine.isStopping, machine.isWithdrawn { queue.async { self.giveUpLateEnds() } }
    }

    // MARK: Calls to the store

    private func call(_ action: WorkerMachine.Action) {
        var settlements: [Settlement] = []
        if case .settle(let parts) = action {
            let now = Date(unixMilliseconds: time.wallClockMilliseconds)
            settlements = parts.compactMap { books[$0.key]?.settlement($0, at: now) }
        }
        let (store, id) = (store, id)
        Task { [settlements] in
            do throws(QueueError) {
                guard let answer = try await store.answer(action, as: id, settlements) else { return }
                post { $0.answered(answer) }
            } catch {
                post { run in
                    run.watch.callFailed(error, in: action == .beat ? .heartbeat : .other)
                    run.handle(action == .beat ? .beatFailed : .failed(error.code))
                }
            }
        }
    }

    private func open() {
        let (store, id) = (store, id)
        Task {
            do throws(QueueError) {
                try await store.open(as: id)
                // Before anything is taken.
                let steering = try await store.steering()
                post { run in
                    run.handle(.steered(steering))
                    run.steered()
                    run.answered(.opened)
                }
            } catch {
                post { $0.openFailed(error) }
            }
        }
    }

    private func answered(_ answer: StoreAnswer) {
        let entries = answer.entries
        for entry in entries { books.open(entry) }
        watch.storeAnswered(answer.call)
        if case .took(let list) = answer { watch.took(list.count) }
        if case .settled(let list) = answer { watch.settled(list) { books[$0]?.id } }
        handle(answer.event(entries.map { WorkerMachine.Facts($0, time) }))
    }

    /// A store that does not answer is asked again; others cannot be used.
    private func openFailed(_ error: QueueError) {
        guard error.code == .unreachable else {
            watch.callFailed(error, in: .heartbeat)
            return fail(error)
        }
        guard !machine.isFinished else { return }
        let timer = time.makeTimer(on: queue) { [weak self] in
            self?.reopen = nil
            self?.open()
        }
        reopen = timer
        timer.arm(at: time.now.advanced(by: .seconds(1)))
        // Last: who sees the count may advance the clock at once.
        watch.callFailed(error, in: .heartbeat)
    }

    private func wait(upTo limit: Duration) {
        let (store, id) = (store, id)
        wait = Task {
            do throws(QueueError) {
                try await store.wait(as: id, upTo: limit)
                post { run in
                    run.watch.storeAnswered(.wait)
                    run.handle(.waited)
                }
            } catch {
                post { run in
                    run.watch.callFailed(error, in: .wait)
                    run.handle(.waitFailed)
                }
            }
        }
    }
}
