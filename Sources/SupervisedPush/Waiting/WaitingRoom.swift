import ProcessRuntime

/// The waiting pushes of one name, and every rule about them: order, limits, time, cancelling, dropping, pauses before
/// a retry, and whether callers are accepted at all.
///
/// It is a pure machine: it knows no lock, clock or process, and its actions are in ``RoomEffects``. The connections of
/// the name take pushes from it; they are its **holders**, known by number. A push is in exactly one of two places: it
/// waits here, or a holder has it, which returns it or reports its end. So a restart has nothing to hand over, and the
/// connections of a pool need not move pushes between them.
///
/// The lists of `ready` pushes contain only what a link may take now, so that no pull has to search. All others are in
/// other lists.
struct WaitingRoom {
    typealias HolderID = Int32
    static let nobody: HolderID = -1

    let settings: RoomSettings
    let budget: ByteBudget

    /// The time of the event, and its actions so far.
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    var effects = RoomEffects()

    // MARK: Places

    var table = SlotTable<WaitingPush>()
    /// Threads the lists of places: ready, bound, refused, and the queues of devices.
    var places = SlotLinks()
    /// Pushes that any link may take, in call order.
    var ready = SlotList()
    /// Those of them that their caller marked as suspect.
    var suspects = SlotList()
    /// The slot that was returned last: the next one usually belongs right after it.
    var lastReturned: Int32 = -1
    /// Pushes that wait for something other than a stream.
    var deferredCount = 0
    /// Pushes that were refused so often in a row that they pause, or paused before.
    var refusedAgain = 0
    var deviceQueues = PerDeviceQueues()
    var throttle = DeviceThrottle()
    var deadlines = DeadlineQueue()
    private var lastCall: UInt64 = 0

    // MARK: Admission

    /// The number of connections, which multiplies the limits.
    var members = 1
    /// Threads the two lists below: a push is in at most one of them.
    var admissions = SlotLinks()
    /// Pushes that may be dropped for a newer one: those that count and whose callers did not have to wait for room.
    var droppable = SlotList()
    /// Pushes whose callers wait for room, in order.
    var parked = SlotList()
    var waiting = 0
    var waitingBytes = 0
    /// Pushes that wait to be sent again. They count against no limit of the name, because they have been accepted, and
    /// are neither refused nor dropped; their bytes count in the runtime's budget.
    var retrying = 0
    var retryingBytes = 0
    /// Answered pushes whose completion has not returned.
    var undelivered = 0
    var undeliveredBytes = 0
    /// Pushes that holders have.
    var held = 0
    var allowance = RoomAllowance()
    var watchers = RoomWatchers()

    // MARK: Holders and credential

    var holders = RoomHolders()
    var health: CredentialHealth
    /// The holder that probes the refused credential.
    var prober = nobody
    var retries: StatusRetries
    /// Callers are refused; waiting pushes are still sent until `closesAt`.
    var isClosed = false
    var closesAt: MonotonicInstant?
    /// How the name ended: returned pushes end in the same way.
    private(set) var endReason: RoomEnding.Reason?
    /// All holders were told that nothing follows.
    private var hasToldOfEnd = false

    init(_ settings: RoomSettings, budget: ByteBudget, seed: UInt64) {
        self.settings = settings
        self.budget = budget
        health = CredentialHealth(settings)
        retries = StatusRetries(seed: ~seed)
    }

    // MARK: Events

    /// Begins an event, which ends with ``finish()``.
    mutating func begin(_ now: MonotonicInstant) { self.now = now }

    /// Ends an event, and returns its actions.
    mutating func finish() -> RoomEffects {
        addConsequences()
        defer { effects = RoomEffects() }
        return effects
    }

    // MARK: Callers

    /// Why a push is not accepted. Behind a reference, because nearly every push is.
    indirect enum Refusal: Equatable {
        /// Its caller cancelled it before.
        case withdrawn
        case closed
        case credential(CredentialRefusal)
        /// `isBudget`: the name's own limits had room.
        case full(ConnectionLoad, isBudget: Bool)
    }

    /// Accepts pushes, and wakes holders for all of them together.
    ///
    /// - Returns: Why some are not accepted, by their places; nothing of those is kept.
    mutating func offer(
        _ batch: [OfferedPush], whenFull: WhenFull, to holder: HolderID = nobody
    ) -> [(place: Int, refusal: Refusal)] {
        var refused: [(Int, Refusal)] = []
        for (place, push) in batch.enumerated() {
            let refusal = offer(push.record, outcome: push.outcome, whenFull: whenFull, to: holder, waking: false)
            if let refusal { refused.append((place, refusal)) }
        }
        wakeForRest()
        return refused
    }

    /// Accepts a push, or returns why not; nothing is kept then.
    ///
    /// - Parameters:
    ///   - holder: The only connection that may take it; `nobody`: any.
    ///   - waking: False if holders are woken later.
    mutating func offer(
        _ record: PushRecord, outcome: OutcomeReceiver, whenFull: WhenFull, to holder: HolderID = nobody,
        waking: Bool = true
    ) -> Refusal? {
        guard case .notOffered = record.standing else { return .withdrawn }
        guard !isClosed else { return .closed }
        var push = WaitingPush(record)
        // A connection that has ended, or takes no more pushes, binds nothing.
        if holders.takes(holder) { push.holder = holder }
        if let refusal = health.refusal {
            guard mayProbe(record) else { return .credential(refusal) }
            push.isProbe = true
            if push.holder == Self.nobody { push.holder = holders.first }
        }
        if let refusal = admit(&push, outcome: outcome, whenFull: whenFull) { return refusal }
        record.outcome = outcome
        lastCall += 1
        record.callNumber = lastCall
        let (admission, isSuspect) = (push.admission, record.policy.isSuspect)
        let (holder, isProbe) = (push.holder, push.isProbe)
        let slot = table.insert(consume push)
        record.standing = .waiting(slot)
        switch admission {
        case .counted: droppable.append(slot, in: &admissions)
        // It may be the first one to wait for the runtime's budget, which must then be told.
        case .parked: park(slot)
        case .free: break
        }
        deadlines.insert(slot, of: table)
        if isProbe { beginProbe(of: slot, by: holder) }
        if record.policy.mayQueueForDevice, joinDeviceQueue(slot) {
            // A dropped push may have passed on its turn.
            wakeForRest()
            return nil
        }
        appendReady(slot, to: holder, isSuspect: isSuspect)
        guard waking else { return nil }
        if holder == Self.nobody { wakeNext(isSuspect: isSuspect) } else { wake(holder) }
        return nil
    }

    /// Cancels a push, wherever it is. Its one outcome still arrives.
    ///
    /// - Returns: The holder that has it and must be told.
    mutating func cancel(_ record: PushRecord) -> HolderID? {
        switch record.standing {
        case .notOffered: record.standing = .withdrawn
        case .waiting(let slot):
            end(slot, reason: .cancelled)
            wakeForRest()
        case .held(let holder):
            // One message is enough, also for a push that has ended there: the room does not hear of its end.
            guard !record.isCancelled else { return nil }
            record.isCancelled = true
            return holder
        case .withdrawn, .ended: break
        }
        return nil
    }

    // MARK: Time

    /// When `tick` is due; nil if nothing changes on its own.
    var nextWake: MonotonicInstant? {
        guard let closesAt, table.count > 0 else { return deadlines.earliest }
        return min(closesAt, deadlines.earliest ?? closesAt)
    }

    mutating func tick() {
        while let slot = deadlines.popDue(now, in: table) { due(slot) }
        if let closesAt, closesAt <= now { endAll(.closed) }
        wakeForRest()
    }

    private mutating func due(_ slot: Int32) {
        guard let push = table[slot] else { return }
        let limit = push.record.times.whileWaiting
        guard limit.instant > now else { return end(slot, reason: .expired) }
        if push.place == .paused, retryIsStopped(slot) { return }
        returnFromDeferral(slot)
    }

    // MARK: The end

    /// No push is accepted from now on; waiting pushes have until `deadline`. A later call can bring the deadline
    /// forward.
    mutating func close(_ deadline: MonotonicInstant) {
        isClosed = true
        closesAt = min(closesAt ?? deadline, deadline)
        if deadline <= now { endAll(.closed) }
    }

    /// The name has ended, so all waiting pushes end.
    mutating func endAll(_ reason: RoomEnding.Reason) {
        isClosed = true
        endReason = endReason ?? reason
        let slots = table.slots.sorted { callNumber(of: $0) < callNumber(of: $1) }
        for slot in slots { end(slot, reason: reason) }
    }

    /// True once nothing waits, and nothing can come back.
    var isDone: Bool { table.count == 0 && held == 0 }

    /// Ends a waiting push.
    mutating func end(_ slot: Int32, reason: RoomEnding.Reason) {
        guard let push = take(slot) else { return }
        effects.further().endings.append(RoomEnding(push.trace, reason: reason, isShort: holders.areShort))
        willAnswer(push.record)
        push.record.standing = .ended
        if push.hasTurn { passTurn(of: push.record.recipient) }
        if push.isProbe { effects.further().probeOver = push.holder }
    }

    /// The consequences of each change: parked pushes get room, unneeded bytes are returned, and holders of a closing
    /// name learn that nothing follows.
    private mutating func addConsequences() {
        if !parked.isEmpty { promote() }
        if !watchers.isEmpty { effects.further().calls += takeCalls() }
        effects.surplus += allowance.takeSurplus(bytes, isIdle: isIdle, chunk: budget.chunk)
        if effects.probeOver != nil, health.refusal != nil { health.probeEnded(now) }
        if isClosed, !hasToldOfEnd, isDone {
            hasToldOfEnd = true
            for id in holders.ids { wake(id) }
        }
    }

    func callNumber(of slot: Int32) -> UInt64 { table[slot]?.record.callNumber ?? 0 }
}

/// A push and the receiver of its outcome, on the way to a room.
struct OfferedPush {
    let record: PushRecord
    let outcome: OutcomeReceiver
}

/// The numbers in a room's decisions.
struct RoomSettings: Sendable {
    /// How many pushes and bytes may wait, for each connection of the name.
    var maxWaiting = 10_000
    var maxWaitingBytes = 16 << 20
    /// How many callers may wait for room, and how many may watch for it.
    var maxParked = 10_000
    /// How long no push probes a refused credential; doubled with each refusal.
    var probePause = Duration.seconds(1)
    var longestProbePause = Duration.seconds(15 * 60)
    /// A credential that is refused before a push was accepted ends the connection.
    var givesUpOnRefusal = false
}

/// The actions of a room, performed without its lock.
///
/// Nearly always there is one wake-up, or nothing. All else is behind a reference, so that the usual case needs no
/// copy.
struct RoomEffects {
    /// Rare actions.
    final class Rest {
        /// Pushes that end here.
        var endings: [RoomEnding] = []
        var furtherWoken: [WaitingRoom.HolderID] = []
        /// News for all holders, except the one that brought them.
        var news: CredentialNews?
        /// The holder that should probe the refused credential.
        var probes: WaitingRoom.HolderID?
        /// The probe ended here; this holder was to write it.
        var probeOver: WaitingRoom.HolderID?
        /// What opened the breaker.
        var opening: RetryBreaker.Opening?
        /// Watchers to call.
        var calls: [@Sendable () -> Void] = []
    }

    /// The holder to wake.
    private(set) var woken = WaitingRoom.nobody
    private(set) var rest: Rest?
    /// Bytes to return to the budget.
    var surplus = 0

    /// Wakes a holder.
    mutating func wake(_ holder: WaitingRoom.HolderID) {
        if woken == WaitingRoom.nobody { woken = holder } else { further().furtherWoken.append(holder) }
    }

    /// Removes and returns the holder to wake.
    mutating func takeWoken() -> WaitingRoom.HolderID {
        defer { woken = WaitingRoom.nobody }
        return woken
    }

    /// The rare actions, created when needed.
    mutating func further() -> Rest {
        if let rest { return rest }
        let new = Rest()
        rest = new
        return new
    }
}

/// Read access, also if there are no rare actions.
extension RoomEffects {
    var endings: [RoomEnding] { rest?.endings ?? [] }
    var furtherWoken: [WaitingRoom.HolderID] { rest?.furtherWoken ?? [] }
    var news: CredentialNews? { rest?.news }
    var probes: WaitingRoom.HolderID? { rest?.probes }
    var probeOver: WaitingRoom.HolderID? { rest?.probeOver }
    var opening: RetryBreaker.Opening? { rest?.opening }
    var calls: [@Sendable () -> Void] { rest?.calls ?? [] }
}

/// A push that ends in the room.
struct RoomEnding {
    enum Reason {
        /// Its time was over.
        case expired
        case cancelled
        /// It was dropped for a newer one.
        case dropped(ConnectionLoad)
        /// The name was closed, and its closing deadline passed.
        case closed
        /// Its connection was given up.
        case givenUp
        case refused(CredentialRefusal)
        /// It is not retried.
        case answered(PushResponse)
    }

    let trace: PushTrace
    let reason: Reason
    /// The windows of every link were too small for the next push.
    let isShort: Bool

    init(_ trace: PushTrace, reason: Reason, isShort: Bool = false) {
        self.trace = trace
        self.reason = reason
        self.isShort = isShort
    }
}
