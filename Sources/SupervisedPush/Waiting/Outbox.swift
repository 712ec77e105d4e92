import Dispatch
import ProcessRuntime
import PushLocking

/// Accepts the pushes for a name, and delivers the outcomes that no process decides. It belongs to the name, and
/// outlives every process.
final class Outbox: Sendable {
    /// Takes back fire-and-forget pushes.
    protocol Owner: AnyObject, Sendable {
        func handBack(_ batch: HandBackBatch)
        /// The live process of the name, or the last one.
        var latestPid: ProcessID? { get }
        /// Why no push can go out any more; nil while one may.
        var endError: PushError? { get }
        /// Why no link is up; nil if one is, or no attempt has failed yet.
        var outage: Outage? { get }
    }

    let config: PushConnection.Configuration
    let credentials: CredentialSlot
    /// The policy of pushes whose options do not set another.
    let policy: PushPolicy
    let room: SharedWaitingRoom
    let delivery: OutcomeDelivery
    let watch: ConnectionWatch
    /// Nil if the program has no tracer.
    let spans: PushSpans?
    let time: any TimeSource
    let identities = Locked(PushIdentities())
    private let outcomes: RoomOutcomes
    private let overloads = OverloadErrors()
    /// Hears of each push of a pool; nil for a connection.
    private let use: PoolUse?

    init(
        _ config: PushConnection.Configuration, credentials: CredentialSlot, delivery: OutcomeDelivery,
        watch: ConnectionWatch,
        budget: ByteBudget, seed: UInt64, time: any TimeSource, use: PoolUse? = nil
    ) {
        self.config = config
        self.credentials = credentials
        self.delivery = delivery
        self.watch = watch
        self.time = time
        self.use = use
        spans = PushSpans(config)
        policy = PushPolicy(config)
        outcomes = RoomOutcomes(delivery, watch: watch)
        room = SharedWaitingRoom(
            RoomSettings(config), budget: budget, seed: seed, time: time, timerQueue: delivery.timerQueue,
            owner: outcomes)
    }

    /// Sets who takes pushes back, and whose standing tells the outage; called once, before a push is offered.
    func belongs(to owner: any Owner, hub: LifecycleHub) {
        outcomes.belongs(to: owner)
        _ = hub.watch { [overloads] in overloads.standingChanged() }
    }

    // MARK: The forms of push, at the call

    /// Where a push goes that any connection of the name may take. Ask for it with each call.
    var entrance: PushEntrance {
        use?.begins()
        return PushEntrance(outbox: self)
    }

    /// Refuses a push that does not wait for room while there is none, before it is made. A program with a tracer makes
    /// it, because its span shows the refusal.
    func checkRoom(_ whenFull: WhenFull?) throws(PushError) {
        guard spans == nil, let load = room.loadIfFull, (whenFull ?? config.limits.whenFull) != .dropOldest else {
            return
        }
        throw full(load, isBudget: false, of: identities.withLock { $0.nextID() })
    }

    /// Accepts a push, or throws.
    ///
    /// - Parameter holder: The only connection that may take it; `nobody`: any.
    func offer(
        _ record: PushRecord, outcome: OutcomeReceiver, whenFull: WhenFull?, to holder: WaitingRoom.HolderID
    ) throws(PushError) {
        guard
            let refusal = room.offer(record, outcome: outcome, whenFull: whenFull ?? config.limits.whenFull, to: holder)
        else { return }
        throw error(of: record, refusal: refusal)
    }

    /// Accepts pushes together. Returns the errors of those that it does not accept.
    func offer(
        _ batch: [OfferedPush], whenFull: WhenFull?, to holder: WaitingRoom.HolderID
    ) -> [(push: OfferedPush, error: PushError)] {
        room.offer(batch, whenFull: whenFull ?? config.limits.whenFull, to: holder)
            .map { (batch[$0.place], error(of: batch[$0.place].record, refusal: $0.refusal)) }
    }

    private func error(of record: PushRecord, refusal: WaitingRoom.Refusal) -> PushError {
        switch refusal {
        case .withdrawn: return .cancelledBeforeTheCall(record.id)
        case .closed: return outcomes.endError?.of(record.id) ?? .closed(record.id)
        case .credential(let refusal): return .credentialRefused(record.id, refusal: refusal)
        case .full(let load, let isBudget): return full(load, isBudget: isBudget, of: record.id)
        }
    }

    private func full(_ load: ConnectionLoad, isBudget: Bool, of id: PushID) -> PushError {
        watch.overloaded()
        return overloads.error(load, isBudget: isBudget, of: id) { outcomes.outage }
    }

    /// Cancels a push; its one outcome still arrives.
    func cancel(_ record: PushRecord) { room.cancel(record) }

    /// Frees what it keeps for the next push.
    func rest() {
        _ = identities.withLock { $0.takeKept() }
    }

    /// Hands back pushes that ended without an answer.
    func handBack(_ batch: HandBackBatch) { outcomes.handBack(batch) }
}

/// Delivers outcomes decided in the room, on the name's delivery queue.
///
/// It is a separate object, because a weak reference from the room to the outbox would make each use of the outbox more
/// expensive, for every push.
final class RoomOutcomes: Sendable, SharedWaitingRoom.Owner {
    private let delivery: OutcomeDelivery
    private let watch: ConnectionWatch
    private let owner = Locked(WeakOwner())

    private struct WeakOwner {
        weak var owner: (any Outbox.Owner)?
    }

    init(_ delivery: OutcomeDelivery, watch: ConnectionWatch) {
        self.delivery = delivery
        self.watch = watch
    }

    func belongs(to owner: any Outbox.Owner) { self.owner.withLock { $0.owner = owner } }

    var outage: Outage? { owner.withLock { $0.owner }?.outage }

    /// Why the name accepts no more pushes.
    var endError: PushError? { owner.withLock { $0.owner }?.endError }

    /// Hands back pushes that ended without an answer.
    func handBack(_ batch: HandBackBatch) {
        if !batch.isEmpty { owner.withLock { $0.owner }?.handBack(batch) }
    }

    func ended(_ endings: [RoomEnding], in room: SharedWaitingRoom) {
        var batch = OutcomeDelivery.Batch()
        var returned = HandBackBatch()
        let outage = outage
        for ending in endings {
            let record = ending.trace.record
            let outcome = ending.outcome(outage).carrying(record.context)
            if let outcome = batch.add(outcome, of: record) { record.outcome.resume(outcome) }
            if case .failure(let error) = outcome { returned.add(record, certainty: error.certainty) }
            watch.ended(outcome)
        }
        if !batch.isEmpty { delivery.deliver(batch, room: room) }
        handBack(returned)
    }

    func retriesStopped(_ opening: RetryBreaker.Opening) {
        if let pid = owner.withLock({ $0.owner })?.latestPid { watch.report(.retriesStopped(opening), of: pid) }
    }
}

extension RoomSettings {
    init(_ config: PushConnection.Configuration) {
        maxWaiting = config.limits.maxWaiting
        maxWaitingBytes = config.limits.maxWaitingBytes
        longestProbePause = config.retry.probeCeiling
        givesUpOnRefusal = config.retry.onRefusedCredential == .giveUp
    }
}

/// The target of a caller's pushes: any connection of a name, or one of them.
struct PushEntrance: Sendable {
    let outbox: Outbox
    /// The only connection that may take them; `nobody`: any.
    var holder = WaitingRoom.nobody

    func offer(_ record: PushRecord, outcome: OutcomeReceiver, whenFull: WhenFull?) throws(PushError) {
        try outbox.offer(record, outcome: outcome, whenFull: whenFull, to: holder)
    }
}

/// The errors of pushes for which a queue has no room. In an overload they follow each other and say the same, so that
/// they share one.
final class OverloadErrors: Sendable {
    private let latest = Locked<PushError?>(nil)

    /// - Parameters:
    ///   - isBudget: Whether the name's own limits have room.
    ///   - outage: Why no link is up. It is asked under the lock, so that ``standingChanged()`` follows a change that it
    ///     did not see.
    func error(_ load: ConnectionLoad, isBudget: Bool, of id: PushID, _ outage: () -> Outage?) -> PushError {
        latest.withLock { latest in
            if let latest, latest.isOverloaded(load, isBudget: isBudget) { return latest.of(id) }
            let error = PushError.overloaded(load, isBudget: isBudget, outage: outage(), pushID: id)
            latest = error
            return error
        }
    }

    /// The outage may have changed.
    func standingChanged() { latest.withLock { $0 = nil } }
}
