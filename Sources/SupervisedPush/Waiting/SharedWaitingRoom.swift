import Dispatch
import ProcessRuntime
import PushLocking

/// A name's ``WaitingRoom`` under its lock, with its timer: callers reach it from any thread, connections from their
/// queues. It belongs to the name, and outlives every process.
///
/// Under the lock numbers, lists and the budget change, and nothing else: no code of callers, no message, no release of
/// a push or a closure. What follows is done with the lock free.
final class SharedWaitingRoom: Sendable {
    /// What a room needs of its name.
    protocol Owner: AnyObject, Sendable {
        /// These pushes ended in the room.
        func ended(_ endings: [RoomEnding], in room: SharedWaitingRoom)
        /// Nothing is retried for a while.
        func retriesStopped(_ opening: RetryBreaker.Opening)
    }

    fileprivate struct State {
        var room: WaitingRoom
        /// The processes of the holders, by their numbers.
        var processes: [Address<ConnectionMessage>?] = []
        /// When the timer fires; a later look is not worth arming it.
        var armedFor: MonotonicInstant?
        /// So many threads are about to hand over what ended.
        var handingOver = 0
        var afterHandingOver: [@Sendable () -> Void] = []

        func process(_ id: WaitingRoom.HolderID) -> Address<ConnectionMessage>? {
            processes.indices.contains(Int(id)) ? processes[Int(id)] : nil
        }
    }

    /// A message, and who gets it.
    fileprivate struct Mail {
        let process: Address<ConnectionMessage>
        let message: ConnectionMessage
    }

    private struct Timer {
        var timer: (any OneShotTimer)?
        var armedFor: MonotonicInstant?
    }

    private let state: Locked<State>
    /// A lock of its own: arming is not done under the room's.
    private let timer = Locked(Timer())
    private let time: any TimeSource
    private let timerQueue: DispatchQueue
    private let budget: ByteBudget
    private let owner: any Owner

    /// - Parameter owner: Who answers pushes that end here.
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

    /// Lets a push in, or says why not.
    ///
    /// - Parameter holder: The only connection that may take it; `nobody`: any.
    func offer(
        _ record: PushRecord, _ outcome: OutcomeSink, _ whenFull: WhenFull,
        to holder: WaitingRoom.HolderID = WaitingRoom.nobody
    ) -> WaitingRoom.Refusal? {
        let now = time.now
        return change(now) { $0.offer(record, outcome, whenFull, to: holder, now, &$1) }
    }

    /// Withdraws a push, wherever it is. Its outcome still comes, once.
    func cancel(_ record: PushRecord) {
        let now = time.now
        let process = change(now) { state, effects in
            state.room.cancel(record, now, &effects).flatMap { state.process($0) }
        }
        process?.send(.cancel(record))
    }

    /// The stream of the latest attempt, and how often the push was written.
    func progress(of record: PushRecord) -> (streamID: PushStreamID?, attempts: Int) {
        state.withLock { _ in (record.streamID, record.attempts) }
    }

    /// The pushes with the number of their attempts, all under one lock.
    func countingAttempts(_ settled: [SettledPush]) -> [SettledPush] {
        var settled = settled
        state.withLock { _ in
            for index in settled.indices { settled[index].attempts = settled[index].record.attempts }
        }
        return settled
    }

    /// So many completions have returned.
    func delivered(_ count: Int, bytes: Int) { change { room, _ in room.delivered(count, bytes: bytes) } }

    // MARK: For connections

    /// A process takes pushes from now on.
    ///
    /// - Returns: Its number here, and what is known of the credential.
    func join(_ process: Address<ConnectionMessage>) -> (id: WaitingRoom.HolderID, credential: ShownCredential) {
        state.withLock { state in
            let id = state.room.holders.join()
            while state.processes.count <= Int(id) { state.processes.append(nil) }
            state.processes[Int(id)] = process
            let health = state.room.health
            return (
                id, ShownCredential(refusal: health.refusal, isHopeless: health.isHopeless, isSound: health.isSound)
            )
        }
    }

    /// Hands over what changed in a drain, and takes what there is room for.
    func exchange(
        _ id: WaitingRoom.HolderID, _ changes: inout RoomChanges, _ readiness: RoomHolders.Readiness,
        _ now: MonotonicInstant
    ) -> RoomSupply {
        // What is forgotten may be the last of a caller's object: with the lock free.
        defer { changes.removeAll() }
        return change(now) { $0.exchange(id, &changes, readiness, now, &$1) }
    }

    /// A process that takes nothing any more hands over the last of what it had.
    func leave(_ id: WaitingRoom.HolderID, _ changes: inout RoomChanges, _ now: MonotonicInstant) {
        defer { changes.removeAll() }
        change(now) { (state: inout State, effects) in
            state.room.leave(id, &changes, now, &effects)
            if state.processes.indices.contains(Int(id)) { state.processes[Int(id)] = nil }
        }
    }

    /// A process finishes what it has, and takes nothing any more.
    func beginLeaving(_ id: WaitingRoom.HolderID) {
        let now = time.now
        change(now) { $0.beginLeaving(id, now, &$1) }
    }

    /// What an answer says of the credential, and whether accepted pushes need no judgement.
    func judge(
        _ response: PushResponse, isProbe: Bool, isReplaced: Bool, after accepted: Bool, by id: WaitingRoom.HolderID,
        _ now: MonotonicInstant
    ) -> (news: CredentialNews?, isSound: Bool) {
        change(now, from: id) { room, effects in
            let news = room.judge(
                response, isProbe: isProbe, isReplaced: isReplaced, after: accepted, now, &effects)
            return (news, room.health.isSound)
        }
    }

    /// What holds of the credential now: news that were sent may be older.
    func current(_ news: CredentialNews) -> CredentialNews {
        switch news {
        case .probe, .probeOver: return news
        case .refused, .replaced, .works:
            let health = state.withLock { $0.room.health }
            guard let refusal = health.refusal else { return .works }
            return .refused(refusal, nextProbe: health.isHopeless ? nil : health.pause)
        }
    }

    /// APNs refuses the credential.
    ///
    /// - Parameter isProbe: Whether to the connection that tries it.
    func refuse(
        _ refusal: CredentialRefusal, isProbe: Bool, by id: WaitingRoom.HolderID, _ now: MonotonicInstant
    ) -> (news: CredentialNews, wasKnown: Bool) {
        change(now, from: id) { $0.refuse(refusal, isProbe: isProbe, now, &$1) }
    }

    func probeEnded(by id: WaitingRoom.HolderID, _ now: MonotonicInstant) {
        change(now, from: id) { $0.probeEnded(by: id, now, &$1) }
    }

    /// Another credential took the place of the one in use.
    func renewCredential(by id: WaitingRoom.HolderID = WaitingRoom.nobody) {
        change(time.now, from: id) { $0.renewCredential(&$1) }
    }

    // MARK: For the name

    /// No push is let in from now on; what waits has until `deadline`.
    func close(by deadline: MonotonicInstant) {
        let now = time.now
        change(now) { $0.close(deadline, now, &$1) }
    }

    /// The name is gone: whatever waits ends.
    func end(_ reason: RoomEnding.Reason) { change { $0.endAll(reason, &$1) } }

    /// How many connections the bounds are for.
    func setMembers(_ count: Int) { change { room, _ in room.members = max(1, count) } }

    var load: ConnectionLoad { state.withLock(\.room.load) }

    var waitingBytes: Int { state.withLock(\.room.waitingBytes) }

    /// How many pushes wait that this process alone may take.
    func boundCount(_ id: WaitingRoom.HolderID) -> Int { state.withLock { $0.room.holders[id]?.bound.count ?? 0 } }

    /// Looks at the room, for tests.
    func read<Result>(_ body: (borrowing WaitingRoom) -> Result) -> Result { state.withLock { body($0.room) } }

    // MARK: Who waits for room

    /// A number to take the watching back by.
    func newWatcher() -> Int { state.withLock { $0.room.watchers.newID() } }

    /// Calls once every push has its outcome and every completion has returned; at once, if so.
    func whenIdle(_ id: Int, _ call: @escaping @Sendable () -> Void) {
        change { room, _ in room.watchers.idle.append((id, call)) }
    }

    /// Calls once there is room for a push of any size: at once, if there is. Room is not reserved: others may take it.
    ///
    /// The call brings an error if the name is closed before, if the watching is taken back, and at once if 10,000
    /// watch already.
    ///
    /// - Parameter id: A number of `newWatcher()`, for who may want to take it back.
    func whenRoom(_ id: Int? = nil, _ call: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        let load = change { room, _ -> ConnectionLoad? in
            guard room.watchers.room.count < room.settings.maxParked else { return room.load }
            room.watchers.room.append(RoomWatchers.RoomWatcher(id: id ?? room.watchers.newID(), call: call))
            return nil
        }
        if let load { call(.failure(.overloaded(load, isBudget: false, nil, nil))) }
    }

    /// Takes the watching back, which brings its error to who watched for room. Does nothing before it began and after
    /// it ended.
    func stopWatching(_ id: Int) {
        let watcher = state.withLock { $0.room.watchers.remove(id) }
        watcher?.call(.failure(.stoppedWaiting()))
    }

    /// Bytes that a caller here waited for are free in the runtime's budget.
    private func budgetHasRoom() { change { room, _ in room.allowance.waitsForBudget = false } }

    // MARK: Changing the room

    @discardableResult
    private func change<Result>(
        _ now: MonotonicInstant? = nil, from id: WaitingRoom.HolderID = WaitingRoom.nobody,
        _ body: (inout WaitingRoom, inout RoomEffects) -> Result
    ) -> Result {
        change(now ?? time.now, from: id) { (state: inout State, effects) in body(&state.room, &effects) }
    }

    /// Changes the room; what follows from that is done with the lock free.
    ///
    /// - Parameter id: Who knows by itself what the others are told.
    @discardableResult
    private func change<Result>(
        _ now: MonotonicInstant, from id: WaitingRoom.HolderID = WaitingRoom.nobody,
        _ body: (inout State, inout RoomEffects) -> Result
    ) -> Result {
        var effects = RoomEffects()
        var mail: [Mail] = []
        let (result, look, wake) = state.withLock { state -> (Result, Address<ConnectionMessage>?, MonotonicInstant?) in
            let result = body(&state, &effects)
            state.room.settle(now, &effects)
            if let rest = effects.rest {
                mail = state.mail(rest, from: id)
                if !rest.endings.isEmpty { state.handingOver += 1 }
            }
            return (result, state.process(effects.look), state.wakeToArm())
        }
        // First: a process that hears it may end, and with it the name.
        if let endings = effects.rest?.endings, !endings.isEmpty { handOver(endings) }
        look?.send(.look)
        for mail in mail { mail.process.send(mail.message) }
        if let wake { arm(wake) }
        if let rest = effects.rest {
            if let opening = rest.opening { owner.retriesStopped(opening) }
            for call in rest.calls { call() }
        }
        if effects.surplus > 0 { budget.giveBack(effects.surplus) }
        return result
    }

    // MARK: What ends here

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

    /// Calls once what has ended here is on its way to those who wait for it. Another thread may be about to hand it
    /// over.
    func whenHandedOver(_ call: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.handingOver > 0 { state.afterHandingOver.append(call) }
            return state.handingOver == 0
        }
        if isNow { call() }
    }

    // MARK: The timer

    private func arm(_ instant: MonotonicInstant) {
        timer.withLock { timer in
            // Of two threads that arm at the same time, the earlier instant counts.
            if let armed = timer.armedFor, armed <= instant { return }
            if timer.timer == nil {
                timer.timer = time.makeTimer(on: timerQueue) { [weak self] in self?.timerFired() }
            }
            timer.armedFor = instant
            timer.timer?.arm(at: instant)
        }
    }

    private func timerFired() {
        timer.withLock { $0.armedFor = nil }
        let now = time.now
        change(now) { (state: inout State, effects) in
            state.armedFor = nil
            state.room.tick(now, &effects)
        }
    }
}

extension SharedWaitingRoom.State {
    /// When the timer has to fire, if that is earlier than it does.
    fileprivate mutating func wakeToArm() -> MonotonicInstant? {
        // A timer that fires too early costs one look; arming it for every push would cost more.
        guard let wake = room.nextWake, wake != PushTimes.never, armedFor.map({ wake < $0 }) ?? true else { return nil }
        armedFor = wake
        return wake
    }

    /// What the effects have to say to processes, beyond the first look.
    fileprivate func mail(_ effects: RoomEffects.Rest, from id: WaitingRoom.HolderID) -> [SharedWaitingRoom.Mail] {
        var mail: [SharedWaitingRoom.Mail] = []
        func tell(_ id: WaitingRoom.HolderID, _ message: ConnectionMessage) {
            if let process = process(id) { mail.append(SharedWaitingRoom.Mail(process: process, message: message)) }
        }
        if let prober = effects.probes { tell(prober, .credential(.probe)) }
        if let prober = effects.probeOver { tell(prober, .credential(.probeOver)) }
        if let news = effects.news {
            for other in room.holders.ids where other != id { tell(other, .credential(news)) }
        }
        for id in effects.furtherLooks { tell(id, .look) }
        return mail
    }
}
