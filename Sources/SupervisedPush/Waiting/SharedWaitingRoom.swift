import Dispatch
import Glibc
import ProcessRuntime
import PushLocking
import Synchronization

/// A name's ``WaitingRoom`` with its lock and its timer. Callers access it from any thread, connections from their
/// queues. It belongs to the name, and outlives every process.
///
/// Under the lock, only numbers, lists and the budget change: no caller's code runs, no message is sent, and no push or
/// closure is released. All effects are performed without the lock.
final class SharedWaitingRoom: Sendable {
    /// What a room needs of its name.
    protocol Owner: AnyObject, Sendable {
        /// These pushes ended in the room.
        func ended(_ endings: [RoomEnding], in room: SharedWaitingRoom)
        /// Retries pause for a while.
        func retriesStopped(_ opening: RetryBreaker.Opening)
        /// Why no link is up; nil if one is, or no attempt has failed yet.
        var outage: Outage? { get }
    }

    private struct Timer {
        var timer: (any OneShotTimer)?
        var alarm = EarliestAlarm()
    }

    private let state: Locked<State>
    /// Whether a push that does not wait for room would be refused. A caller reads it without the lock.
    private let isFullNow = Atomic<Bool>(false)
    /// A lock of its own: the timer is not armed under the room's lock.
    private let timer = Locked(Timer())
    private let time: any TimeSource
    private let timerQueue: DispatchQueue
    private let budget: ByteBudget
    private let owner: any Owner

    /// - Parameter owner: Completes the pushes that end here.
    init(
        _ settings: RoomSettings, budget: ByteBudget, seed: UInt64, time: any TimeSource, timerQueue: DispatchQueue,
        owner: any Owner
    ) {
        self.owner = owner
        self.time = time
        self.timerQueue = timerQueue
        self.budget = budget
        state = Locked(State(room: WaitingRoom(settings, budget: budget, seed: seed)))
        state.withLock { state in
            state.room.allowance.onBudget = { [weak self] in self?.budgetHasRoom() }
        }
    }

    deinit {
        timer.withLock { $0.timer }?.cancel()
        budget.giveBack(state.withLock { $0.room.allowance.bytes })
    }

    // MARK: For callers

    /// How full the room is, if a push that does not wait for room would be refused now; nil if it may find room.
    ///
    /// In an overload, this refuses a push before it is made. What a refusal costs is taken from the pushes that wait.
    var loadIfFull: ConnectionLoad? {
        guard isFullNow.load(ordering: .acquiring) else { return nil }
        return state.withLock { $0.room.isFull ? $0.room.load : nil }
    }

    /// Accepts a push, or throws.
    ///
    /// - Parameter holder: The only connection that may take it; `nobody`: any.
    func offer(
        _ record: PushRecord, outcome: OutcomeReceiver, whenFull: WhenFull,
        to holder: WaitingRoom.HolderID = WaitingRoom.nobody
    ) -> WaitingRoom.Refusal? {
        let now = time.now
        return change(now) { (state: inout State) in
            defer {
                state.heldWakeUps.offered(
                    by: outcome.isTask ? .task : .thread(pthread_self()), now, &state.room.effects)
            }
            return state.room.offer(record, outcome: outcome, whenFull: whenFull, to: holder)
        }
    }

    /// Accepts pushes under one lock.
    ///
    /// - Returns: Why some are not accepted, by their places.
    func offer(
        _ batch: [OfferedPush], whenFull: WhenFull, to holder: WaitingRoom.HolderID = WaitingRoom.nobody
    ) -> [(place: Int, refusal: WaitingRoom.Refusal)] {
        let now = time.now
        return change(now) { (state: inout State) in
            defer { state.heldWakeUps.offered(by: .thread(pthread_self()), now, &state.room.effects) }
            return state.room.offer(batch, whenFull: whenFull, to: holder)
        }
    }

    /// Cancels a push, wherever it is. Its one outcome still arrives.
    func cancel(_ record: PushRecord) {
        let now = time.now
        let process = change(now) { (state: inout State) in
            state.room.cancel(record).flatMap { state.process($0) }
        }
        process?.send(.cancel(record))
    }

    /// The stream of the latest attempt, and the number of attempts.
    func progress(of record: PushRecord) -> (streamID: PushStreamID?, attempts: Int) {
        state.withLock { _ in (record.streamID, Int(record.attempts)) }
    }

    /// Adds the number of their attempts to pushes, all under one lock.
    func countAttempts(of settled: inout [SettledPush]) {
        state.withLock { _ in
            for index in settled.indices { settled[index].attempts = settled[index].record.attempts }
        }
    }

    /// Has `body` call this many completions, on this thread.
    ///
    /// - Parameter bytes: How many bytes their pushes count until they have returned.
    func deliver(_ count: Int, bytes: Int, _ body: () -> Void) {
        if count >= HeldWakeUps.smallestBatch { state.withLock { $0.heldWakeUps.begin(on: pthread_self()) } }
        body()
        change(time.now) { (state: inout State) in
            state.room.delivered(count, bytes: bytes)
            state.heldWakeUps.finish(on: pthread_self(), &state.room.effects)
        }
    }

    /// Resumes tasks; a batch of them from a thread of their pool. On a busy core, they then run one after the other, and
    /// do not interrupt the process's thread.
    func resume(_ tasks: [ResumedTask]) {
        guard tasks.count >= HeldWakeUps.smallestBatch else {
            for task in tasks { task.resume() }
            return
        }
        Task.detached { [self] in
            state.withLock { $0.heldWakeUps.beginTasks() }
            for task in tasks { task.resume() }
            // It usually continues behind them. Otherwise, wake-ups are sent earlier.
            await Task.yield()
            change(time.now) { (state: inout State) in state.heldWakeUps.finishTasks(&state.room.effects) }
        }
    }

    // MARK: For connections

    /// A process takes pushes from now on.
    ///
    /// - Returns: Its number here, and what is known about the credential.
    func join(_ process: Address<ConnectionMessage>) -> (id: WaitingRoom.HolderID, credential: ShownCredential) {
        state.withLock { state in
            let id = state.room.holders.join()
            while state.processes.count <= Int(id) { state.processes.append(nil) }
            state.processes[Int(id)] = process
            let health = state.room.health
            return (
                id,
                ShownCredential(
                    refusal: health.refusal, isRejectedForGood: health.isRejectedForGood, isHealthy: health.isHealthy)
            )
        }
    }

    /// Reports what changed in a drain, and takes as many pushes as there is room for.
    func exchange(
        _ id: WaitingRoom.HolderID, changes: inout RoomChanges, readiness: RoomHolders.Readiness,
        _ now: MonotonicInstant
    ) -> RoomSupply {
        // Removing may release a caller's last reference, so it happens without the lock.
        defer { changes.removeAll() }
        return change(now) { (state: inout State) in
            state.heldWakeUps.looked(id)
            return state.room.exchange(id, changes: &changes, readiness: readiness)
        }
    }

    /// A process that takes no more pushes returns what it has.
    func leave(_ id: WaitingRoom.HolderID, changes: inout RoomChanges, _ now: MonotonicInstant) {
        defer { changes.removeAll() }
        change(now) { (state: inout State) in
            state.heldWakeUps.looked(id)
            state.room.leave(id, changes: &changes)
            if state.processes.indices.contains(Int(id)) { state.processes[Int(id)] = nil }
        }
    }

    /// A process finishes its pushes, and takes no more.
    func beginLeaving(_ id: WaitingRoom.HolderID) {
        let now = time.now
        change(now) { (state: inout State) in
            state.heldWakeUps.looked(id)
            state.room.beginLeaving(id)
        }
    }

    /// What an answer says about the credential, and whether accepted pushes need no judgement.
    func judge(
        _ response: PushResponse, isProbe: Bool, isReplaced: Bool, after accepted: Bool, by id: WaitingRoom.HolderID,
        _ now: MonotonicInstant
    ) -> (news: CredentialNews?, isHealthy: Bool) {
        change(now, from: id) { room in
            let news = room.judge(response, isProbe: isProbe, isReplaced: isReplaced, after: accepted)
            return (news, room.health.isHealthy)
        }
    }

    /// The present state of the credential; news on their way may be older.
    func current(_ news: CredentialNews) -> CredentialNews {
        switch news {
        case .probe, .probeOver: return news
        case .refused, .replaced, .works:
            let health = state.withLock { $0.room.health }
            guard let refusal = health.refusal else { return .works }
            return .refused(refusal, nextProbe: health.isRejectedForGood ? nil : health.pause)
        }
    }

    /// APNs refuses the credential.
    ///
    /// - Parameter isProbe: Whether it refused it to the connection that probes it.
    func refuse(
        _ refusal: CredentialRefusal, isProbe: Bool, by id: WaitingRoom.HolderID, _ now: MonotonicInstant
    ) -> (news: CredentialNews, wasKnown: Bool) {
        change(now, from: id) { $0.refuse(refusal, isProbe: isProbe) }
    }

    func probeEnded(by id: WaitingRoom.HolderID, _ now: MonotonicInstant) {
        change(now, from: id) { $0.probeEnded(by: id) }
    }

    /// Another credential replaced the one in use.
    func renewCredential(by id: WaitingRoom.HolderID = WaitingRoom.nobody) {
        change(time.now, from: id) { $0.renewCredential() }
    }

    // MARK: For the name

    /// No push is accepted from now on; waiting pushes have until `deadline`.
    func close(by deadline: MonotonicInstant) {
        let now = time.now
        change(now) { $0.close(deadline) }
    }

    /// The name has ended, so all waiting pushes end.
    func end(_ reason: RoomEnding.Reason) { change { $0.endAll(reason) } }

    /// The number of connections, which multiplies the limits.
    func setMembers(_ count: Int) { change { room in room.members = max(1, count) } }

    var load: ConnectionLoad { state.withLock(\.room.load) }

    /// The payload bytes of the pushes that wait, and of those that wait to be sent again.
    var payloadBytes: (waiting: Int, retrying: Int) { state.withLock { ($0.room.waitingBytes, $0.room.retryingBytes) } }

    /// The processes of its connections.
    var processes: [Address<ConnectionMessage>] { state.withLock { $0.processes.compactMap(\.self) } }

    /// How many waiting pushes only this process may take.
    func boundCount(_ id: WaitingRoom.HolderID) -> Int { state.withLock { $0.room.holders[id]?.bound.count ?? 0 } }

    /// Reads the room, for tests.
    func read<Result>(_ body: (borrowing WaitingRoom) -> Result) -> Result { state.withLock { body($0.room) } }

    // MARK: Watchers

    /// A number with which to remove a watcher.
    func newWatcher() -> Int { state.withLock { $0.room.watchers.newID() } }

    /// Calls back once every push has its outcome and every completion has returned; at once, if that is the case.
    func whenIdle(_ id: Int, _ call: @escaping @Sendable () -> Void) {
        change { room in room.watchers.idle.append((id, call)) }
    }

    /// Calls back once there is room for a push of any size; at once, if there is. Room is not reserved: others may
    /// take it.
    ///
    /// The call brings an error if the name is closed first, if the watcher is removed, and at once if 10,000 callers
    /// watch already.
    ///
    /// - Parameter id: A number from `newWatcher()`, for a caller who may want to remove the watcher.
    func whenRoom(_ id: Int? = nil, _ call: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        let load = change { room -> ConnectionLoad? in
            guard room.watchers.room.count < room.settings.maxParked else { return room.load }
            room.watchers.room.append(RoomWatchers.RoomWatcher(id: id ?? room.watchers.newID(), call: call))
            return nil
        }
        if let load { call(.failure(.overloaded(load, isBudget: false, outage: owner.outage, pushID: nil))) }
    }

    /// Removes a watcher; one that waits for room is called with its error. Does nothing before it was added and after
    /// it ended.
    func stopWatching(_ id: Int) {
        let watcher = state.withLock { $0.room.watchers.remove(id) }
        watcher?.call(.failure(.stoppedWaiting()))
    }

    /// The runtime's budget has bytes again for which a caller waited here.
    private func budgetHasRoom() { change { room in room.allowance.waitsForBudget = false } }

    // MARK: Changing the room

    @discardableResult
    private func change<Result>(
        _ now: MonotonicInstant? = nil, from id: WaitingRoom.HolderID = WaitingRoom.nobody,
        _ body: (inout WaitingRoom) -> Result
    ) -> Result {
        change(now ?? time.now, from: id) { (state: inout State) in body(&state.room) }
    }

    /// Changes the room, and performs the effects without the lock.
    ///
    /// - Parameter id: The holder that causes the change, which is not notified of it.
    @discardableResult
    private func change<Result>(
        _ now: MonotonicInstant, from id: WaitingRoom.HolderID = WaitingRoom.nobody,
        _ body: (inout State) -> Result
    ) -> Result {
        var effects = RoomEffects()
        var mail: [Mail] = []
        let (result, woken, wake) = state.withLock {
            state -> (Result, Address<ConnectionMessage>?, MonotonicInstant?) in
            state.room.begin(now)
            let result = body(&state)
            effects = state.room.finish()
            if let rest = effects.rest {
                mail = state.mail(rest, from: id)
                if !rest.endings.isEmpty { state.handingOver += 1 }
            }
            publish(isFull: state.room.isFull)
            return (result, state.process(effects.woken), state.wakeToArm(now))
        }
        // First, because a process that is notified may end, and the name with it.
        if let endings = effects.rest?.endings, !endings.isEmpty { handOver(endings) }
        woken?.send(.pushesWait)
        for mail in mail { mail.process.send(mail.message) }
        if let wake { arm(wake, now) }
        if let rest = effects.rest {
            if let opening = rest.opening { owner.retriesStopped(opening) }
            for call in rest.calls { call() }
        }
        if effects.surplus > 0 { budget.giveBack(effects.surplus) }
        return result
    }

    private func publish(isFull: Bool) {
        // Stored only when it changes: a store takes the line from all threads that read it.
        if isFullNow.load(ordering: .relaxed) != isFull { isFullNow.store(isFull, ordering: .releasing) }
    }

    // MARK: Endings

    private func handOver(_ endings: [RoomEnding]) {
        owner.ended(endings, in: self)
        let calls = state.withLock { state -> [@Sendable () -> Void] in
            state.handingOver -= 1
            guard state.handingOver == 0 else { return [] }
            defer { state.afterHandingOver = [] }
            return state.afterHandingOver
        }
        for call in calls { call() }
    }

    /// Calls back once endings in this room are on their way to their receivers. Another thread may still be delivering
    /// them.
    func whenHandedOver(_ call: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.handingOver > 0 { state.afterHandingOver.append(call) }
            return state.handingOver == 0
        }
        if isNow { call() }
    }

    // MARK: The timer

    private func arm(_ instant: MonotonicInstant, _ now: MonotonicInstant) {
        timer.withLock { timer in
            // If two threads arm at the same time, the earlier instant counts.
            guard timer.alarm.mustArm(for: instant, now) else { return }
            if timer.timer == nil {
                timer.timer = time.makeTimer(on: timerQueue) { [weak self] in self?.timerFired() }
            }
            timer.timer?.arm(at: instant)
        }
    }

    private func timerFired() {
        timer.withLock { $0.alarm.fired() }
        let now = time.now
        change(now) { (state: inout State) in
            state.alarm.fired()
            state.heldWakeUps.tick(now, &state.room.effects)
            state.room.tick()
        }
    }
}
