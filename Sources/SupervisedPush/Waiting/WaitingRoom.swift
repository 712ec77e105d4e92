import ProcessRuntime

/// The pushes of one name that wait, and every rule about a push that waits: order, bounds, time, cancelling, dropping,
/// pauses before a retry, and whether callers are let in at all.
///
/// It is pure: it knows no lock, clock or process, and what is to be done stands in ``RoomEffects``. Those who take
/// pushes are **holders**: the connections of the name, known by number. A push is in exactly one of two places. It
/// waits here, or a holder has it, which brings it back or reports its end. So a restart passes nothing on, and the
/// connections of a pool need not move pushes between them.
///
/// The lists of those that are `ready` hold only what a link may take now, so that no pull searches. All others stand
/// elsewhere.
struct WaitingRoom {
    typealias HolderID = Int32
    static let nobody: HolderID = -1

    let settings: RoomSettings
    let budget: ByteBudget

    // MARK: Where pushes stand

    var table = SlotTable<WaitingPush>()
    /// Threads the lists of places: ready, bound, refused, and the lines of devices.
    var places = SlotLinks()
    /// What any link may take, in call order.
    var ready = SlotList()
    /// Those of them that their caller marked as suspect.
    var suspects = SlotList()
    /// The slot that was put back last: the next one usually belongs right behind it.
    var lastReturned: Int32 = -1
    /// Pushes that wait for something else than a stream.
    var deferredCount = 0
    var lines = DeviceLines()
    var throttle = DeviceThrottle()
    var deadlines = DeadlineQueue()
    private var lastCall: UInt64 = 0

    // MARK: How they count

    /// How many connections the bounds are for.
    var members = 1
    /// Threads the two lists below: a push is in one of them at most.
    var admissions = SlotLinks()
    /// What may go for a newer push: those that count and whose callers did not have to wait for room.
    var droppable = SlotList()
    /// Those whose callers wait for room, first come, first served.
    var parked = SlotList()
    var waiting = 0
    var waitingBytes = 0
    /// Those that were answered and whose completion has not returned.
    var undelivered = 0
    var undeliveredBytes = 0
    /// Pushes that holders have.
    var held = 0
    var allowance = RoomAllowance()
    var watchers = RoomWatchers()

    // MARK: Who takes them, and whether callers are let in

    var holders = RoomHolders()
    var health: CredentialHealth
    /// Who tries the refused credential.
    var prober = nobody
    var retries: StatusRetries
    /// Callers are refused; what waits is still sent, until `closesAt`.
    var isClosed = false
    var closesAt: MonotonicInstant?
    /// How the name ended: what comes back ends so, too.
    private(set) var endReason: RoomEnding.Reason?
    /// All holders were told that nothing follows.
    private var hasToldOfEnd = false

    init(_ settings: RoomSettings, budget: ByteBudget, seed: UInt64) {
        self.settings = settings
        self.budget = budget
        health = CredentialHealth(settings)
        retries = StatusRetries(seed: ~seed)
    }

    // MARK: Callers

    /// Why a push is not let in. Behind a reference, because nearly every push is.
    indirect enum Refusal: Equatable {
        /// Its caller withdrew it before.
        case withdrawn
        case closed
        case credential(CredentialRefusal)
        /// `isBudget`: the name itself would have had room.
        case full(ConnectionLoad, isBudget: Bool)
    }

    /// Lets a push in, or says why not; then nothing is kept of it.
    ///
    /// - Parameter holder: The only connection that may take it; `nobody`: any.
    mutating func offer(
        _ record: PushRecord, _ outcome: OutcomeSink, _ whenFull: WhenFull, to holder: HolderID = nobody,
        _ now: MonotonicInstant, _ effects: inout RoomEffects
    ) -> Refusal? {
        guard case .notOffered = record.standing else { return .withdrawn }
        guard !isClosed else { return .closed }
        var push = WaitingPush(record)
        // A connection that has ended, or takes nothing any more, binds nothing.
        if holders.takes(holder) { push.holder = holder }
        if let refusal = health.refusal {
            guard mayProbe(record, now) else { return .credential(refusal) }
            push.isProbe = true
            if push.holder == Self.nobody { push.holder = holders.first }
        }
        if let refusal = admit(&push, outcome, whenFull, &effects) {
            return refusal
        }
        record.outcome = outcome
        lastCall += 1
        record.callNumber = lastCall
        let (admission, isSuspect) = (push.admission, record.policy.isSuspect)
        let (holder, isProbe) = (push.holder, push.isProbe)
        let slot = table.insert(consume push)
        record.standing = .waiting(slot)
        switch admission {
        case .counted: droppable.append(slot, &admissions)
        // It may be the first one that waits for the runtime's budget, which then has to know.
        case .parked: park(slot)
        case .free: break
        }
        deadlines.insert(slot, of: table)
        if isProbe { beginProbe(of: slot, by: holder, &effects) }
        if record.policy.mayStandInLine, joinLine(slot) {
            // What it replaced may have passed its turn on.
            wakeForRest(now, &effects)
            return nil
        }
        appendReady(slot, holder, isSuspect: isSuspect)
        if holder == Self.nobody { wakeNext(isSuspect: isSuspect, now, &effects) } else { wake(holder, &effects) }
        return nil
    }

    /// Withdraws a push, wherever it is. Its outcome still comes, once.
    ///
    /// - Returns: The holder that has it, and is to be told.
    mutating func cancel(_ record: PushRecord, _ now: MonotonicInstant, _ effects: inout RoomEffects) -> HolderID? {
        switch record.standing {
        case .notOffered: record.standing = .withdrawn
        case .waiting(let slot):
            end(slot, .cancelled, &effects)
            wakeForRest(now, &effects)
        case .held(let holder):
            record.isCancelled = true
            return holder
        case .withdrawn, .ended: break
        }
        return nil
    }

    // MARK: Time

    /// When `tick` is wanted; nil: nothing changes by itself.
    var nextWake: MonotonicInstant? {
        guard let closesAt, table.count > 0 else { return deadlines.earliest }
        return min(closesAt, deadlines.earliest ?? closesAt)
    }

    mutating func tick(_ now: MonotonicInstant, _ effects: inout RoomEffects) {
        while let slot = deadlines.popDue(now, in: table) { due(slot, now, &effects) }
        if let closesAt, closesAt <= now { endAll(.closed, &effects) }
        wakeForRest(now, &effects)
    }

    private mutating func due(_ slot: Int32, _ now: MonotonicInstant, _ effects: inout RoomEffects) {
        guard let push = table[slot] else { return }
        let limit = push.record.times.whileWaiting
        guard limit.instant > now else { return end(slot, .expired, &effects) }
        if push.place == .paused, retryIsStopped(slot, now, &effects) { return }
        returnFromDeferral(slot)
    }

    // MARK: The end

    /// No push is let in from now on; what waits has until `deadline`. Said again, it can bring the deadline forward.
    mutating func close(_ deadline: MonotonicInstant, _ now: MonotonicInstant, _ effects: inout RoomEffects) {
        isClosed = true
        closesAt = min(closesAt ?? deadline, deadline)
        if deadline <= now { endAll(.closed, &effects) }
    }

    /// The name is gone: whatever waits ends.
    mutating func endAll(_ reason: RoomEnding.Reason, _ effects: inout RoomEffects) {
        isClosed = true
        endReason = endReason ?? reason
        let slots = table.slots.sorted { callNumber(of: $0) < callNumber(of: $1) }
        for slot in slots { end(slot, reason, &effects) }
    }

    /// True once nothing waits, and nothing can come back.
    var isDone: Bool { table.count == 0 && held == 0 }

    /// Ends a push that waits.
    mutating func end(_ slot: Int32, _ reason: RoomEnding.Reason, _ effects: inout RoomEffects) {
        guard let push = take(slot) else { return }
        effects.further().endings.append(RoomEnding(push.trace, reason))
        willAnswer(push.record)
        push.record.standing = .ended
        if push.hasTurn { passTurn(of: push.record.recipient) }
        if push.isProbe { effects.further().probeOver = push.holder }
    }

    /// What follows from each change: those that wait for room have their turn, bytes that are not needed go back, and
    /// who closes hears that nothing follows.
    mutating func settle(_ now: MonotonicInstant, _ effects: inout RoomEffects) {
        if !parked.isEmpty { promote() }
        if !watchers.isEmpty { effects.further().calls += takeCalls() }
        effects.surplus += allowance.takeSurplus(bytes, isIdle: isIdle, chunk: budget.chunk)
        if effects.probeOver != nil, health.refusal != nil { health.probeEnded(now) }
        if isClosed, !hasToldOfEnd, isDone {
            hasToldOfEnd = true
            for id in holders.ids { wake(id, &effects) }
        }
    }

    func callNumber(of slot: Int32) -> UInt64 { table[slot]?.record.callNumber ?? 0 }
}

/// The numbers a room decides by.
struct RoomSettings: Sendable {
    /// How many pushes and how many bytes may wait, for each connection of the name.
    var maxWaiting = 10_000
    var maxWaitingBytes = 16 << 20
    /// Callers that may wait for room; and as many that want to be told of it.
    var maxParked = 10_000
    /// How long no push tries a credential that was refused; doubled each time it is refused again.
    var probePause = Duration.seconds(1)
    var longestProbePause = Duration.seconds(15 * 60)
    /// A credential that is refused before a push was accepted ends the connection.
    var givesUpOnRefusal = false
}

/// What is to be done when a room has decided, with its lock free.
///
/// Nearly always that is one look, or nothing. All else is behind a reference, so that the usual case costs no copy.
struct RoomEffects {
    /// What is rare.
    final class Rest {
        /// Pushes that end here.
        var endings: [RoomEnding] = []
        var furtherLooks: [WaitingRoom.HolderID] = []
        /// What all holders are to hear, but the one that brought it.
        var news: CredentialNews?
        /// Who is to try the refused credential.
        var probes: WaitingRoom.HolderID?
        /// The push that tries it ended here, and who was to write it.
        var probeOver: WaitingRoom.HolderID?
        /// What opened the breaker of the retries.
        var opening: RetryBreaker.Opening?
        /// Who waited to be told of room, or of the last push's end.
        var calls: [@Sendable () -> Void] = []
    }

    /// Who is to look.
    private(set) var look = WaitingRoom.nobody
    private(set) var rest: Rest?
    /// Bytes that the room gives back to the budget.
    var surplus = 0

    /// Has a holder look.
    mutating func wake(_ holder: WaitingRoom.HolderID) {
        if look == WaitingRoom.nobody { look = holder } else { further().furtherLooks.append(holder) }
    }

    /// What is rare, made when it is needed.
    mutating func further() -> Rest {
        if let rest { return rest }
        let new = Rest()
        rest = new
        return new
    }
}

/// For reading, also where nothing rare happened.
extension RoomEffects {
    var endings: [RoomEnding] { rest?.endings ?? [] }
    var furtherLooks: [WaitingRoom.HolderID] { rest?.furtherLooks ?? [] }
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
        /// It went for a newer one.
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

    init(_ trace: PushTrace, _ reason: Reason) {
        self.trace = trace
        self.reason = reason
    }
}
