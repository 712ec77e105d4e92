import DequeModule

extension Intake {
    /// What an intake guards by its lock.
    struct State {
        let bounds: Bounds
        let budget: ByteBudget
        var identities = PushIdentities()
        /// Callers are refused.
        var isClosed = false
        /// Nobody serves it any more.
        var hasEnded = false

        // Where pushes wait for the process.
        var process: Address<ConnectionMessage>?
        /// True while the process has been told and has not looked yet.
        var isNudged = false
        var inbox: [PushRecord] = []
        var passedOn: [PassedOnPush] = []

        // What counts.
        var waiting = 0
        var waitingBytes = 0
        var undelivered = 0
        var undeliveredBytes = 0
        var inFlight = 0
        /// Pushes that the process took and that have no outcome: in flight, waiting for the first time or again, paused.
        var unsettled = 0

        // Who waits for room.
        var parked = Deque<PushRecord>()
        var parkedCount = 0
        var roomWatchers: [RoomWatcher] = []
        var idleWatchers: [(id: Int, call: @Sendable () -> Void)] = []
        var lastWatcher = 0

        // The part of the runtime's budget that is ours.
        var allowance = 0
        /// What of it was not there when it was taken, for pushes that replace older ones.
        var overdrawn = 0
        /// True while the budget knows that somebody here waits for bytes.
        var waitsForBudget = false
        var onBudget: (@Sendable () -> Void)?

        // Pushes let in for which older ones have to go, since the process last looked.
        var due = Excess()
        /// Those in `inbox` and `passedOn` that went already, and how far they have been looked through for more.
        var droppedHere = 0
        var inboxCursor = 0
        var passedOnCursor = 0

        init(bounds: Bounds, budget: ByteBudget) {
            self.bounds = bounds
            self.budget = budget
        }
    }

    /// How many pushes, and how many bytes, are too much.
    struct Excess: Equatable {
        var count = 0
        var bytes = 0
        var isNone: Bool { count <= 0 && bytes <= 0 }
    }

    /// Somebody who wants to be told once there is room.
    struct RoomWatcher {
        let id: Int
        let call: @Sendable (Result<Void, PushError>) -> Void
    }
}

/// The arithmetic of the bounds.
extension Intake.State {
    /// Pushes that count: those that wait, and those answered whose completion has not returned.
    var queued: Int { waiting + undelivered }
    var bytes: Int { waitingBytes + undeliveredBytes }

    var load: PushError.Load {
        PushError.Load(inFlight: inFlight, waiting: queued, limit: bounds.maxWaiting)
    }

    var isIdle: Bool { waiting == 0 && parkedCount == 0 && unsettled == 0 && undelivered == 0 && passedOn.isEmpty }

    /// Takes the push in, parks it, or says why not.
    mutating func admit(
        _ record: PushRecord, _ whenFull: WhenFull, _ admission: inout Intake.Admission
    ) throws(PushError) {
        if parkedCount == 0, reserve(record.size, waits: false) { return count(record) }
        if whenFull == .dropOldest {
            if replaceOldest(with: record, &admission.dropped) { return }
        } else if whenFull == .wait, record.outcome.mayWaitForRoom,
            parkedCount < bounds.maxParked || record.outcome.hasOwnBound
        {
            record.admission = .parked
            record.wasParked = true
            parked.append(record)
            parkedCount += 1
            // It may be the first one that waits for the runtime's budget, which then has to know.
            return promote()
        }
        throw .overloaded(load, isBudget: fits(record.size), record.id)
    }

    /// Whether the bounds of the connection alone leave room.
    func fits(_ size: Int) -> Bool {
        queued < bounds.maxWaiting && bytes + size <= bounds.maxWaitingBytes
    }

    /// Makes sure of room, in the connection and in the runtime's budget; false if there is none.
    mutating func reserve(_ size: Int, waits: Bool) -> Bool {
        guard fits(size) else { return false }
        let missing = bytes + size - allowance
        guard missing > 0 else { return true }
        if waits, waitsForBudget { return false }
        let granted = budget.reserve(missing, orCall: waits ? onBudget : nil)
        allowance += granted
        waitsForBudget = waitsForBudget || (waits && granted == 0)
        return granted > 0
    }

    mutating func count(_ record: PushRecord) {
        record.admission = .admitted
        waiting += 1
        waitingBytes += record.size
    }

    /// A push waits no longer.
    mutating func release(_ record: PushRecord) {
        switch record.admission {
        case .admitted:
            waiting -= 1
            waitingBytes -= record.size
        case .parked:
            parkedCount -= 1
            if parked.count > 2 * parkedCount + 64 { parked.removeAll { $0.admission != .parked } }
        case .notOffered, .released, .withdrawn, .dropped, .moved:
            return
        }
        record.admission = .released
    }

    /// Lets parked pushes in while there is room, first come, first served.
    mutating func promote() {
        while let next = parked.first {
            if next.admission == .parked {
                guard reserve(next.size, waits: true) else { return }
                parkedCount -= 1
                count(next)
            }
            parked.removeFirst()
        }
    }

    /// A push that no process holds is about to be answered: if a completion has to return, it counts until then.
    mutating func willAnswer(_ record: PushRecord) {
        if record.outcome.isDelivered { addUndelivered(1, bytes: record.size) }
    }

    /// Answers are there already: they count whether or not there is room.
    mutating func addUndelivered(_ count: Int, bytes added: Int) {
        undelivered += count
        undeliveredBytes += added
        coverBytes()
    }

    /// Draws what is here from the runtime's budget, whether or not it has so much.
    mutating func coverBytes() {
        let missing = bytes - allowance
        guard missing > 0 else { return }
        budget.overdraw(missing)
        allowance += missing
    }

    /// The part of the allowance that is to be given back. A chunk is kept while the connection is busy.
    mutating func takeSurplus() -> Int {
        let spare = allowance - bytes
        let kept = isIdle ? 0 : budget.chunk
        // What was overdrawn goes first; of the rest only what is worth a visit.
        let surplus = overdrawn > 0 || isIdle || spare > 2 * kept ? max(0, spare - (overdrawn > 0 ? 0 : kept)) : 0
        overdrawn -= min(overdrawn, surplus)
        allowance -= surplus
        return surplus
    }
}
