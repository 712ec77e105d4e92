/// The limits: how many pushes and bytes may wait, and which callers wait for room.
extension WaitingRoom {
    var maxWaiting: Int { settings.maxWaiting.saturatedProduct(members) }
    private var maxWaitingBytes: Int { settings.maxWaitingBytes.saturatedProduct(members) }

    /// Pushes that count: waiting ones, and answered ones whose completion has not returned.
    var queued: Int { waiting + undelivered }
    private var queuedBytes: Int { waitingBytes + undeliveredBytes }
    /// What the runtime's budget must have given.
    var bytes: Int { queuedBytes + retryingBytes }

    /// True if a push of any size is refused for its number, unless its caller waits for room or it replaces another.
    /// A room that is closed, or whose credential is refused, has other reasons.
    var isFull: Bool { queued >= maxWaiting && !isClosed && health.refusal == nil }

    var load: ConnectionLoad {
        ConnectionLoad(inFlight: held, waiting: queued, retrying: retrying, limit: maxWaiting)
    }

    /// True once every push has its outcome and every completion has returned.
    var isIdle: Bool { isDone && undelivered == 0 }

    // MARK: At the call

    /// Counts the push, parks it until there is room, or throws.
    mutating func admit(_ push: inout WaitingPush, outcome: OutcomeReceiver, whenFull: WhenFull) -> Refusal? {
        let size = push.record.size
        if parked.isEmpty, reserve(size, waits: false) {
            count(&push)
            return nil
        }
        if whenFull == .dropOldest {
            if dropOldest(for: size) {
                count(&push)
                return nil
            }
        } else if whenFull == .wait, outcome.mayWaitForRoom, parked.count < settings.maxParked || outcome.hasOwnBound {
            push.admission = .parked
            return nil
        }
        let fullLoad = ConnectionLoad(
            inFlight: held, waiting: max(queued, refusedAgain), retrying: retrying, limit: maxWaiting)
        return .full(fullLoad, isBudget: fits(size))
    }

    mutating func count(_ push: inout WaitingPush) {
        push.admission = .counted
        waiting += 1
        waitingBytes += push.record.size
    }

    /// Drops the oldest pushes: one for the place, and more if the bytes need it. Answers whose completions have not
    /// returned cannot be dropped.
    private mutating func dropOldest(for size: Int) -> Bool {
        guard undelivered < maxWaiting, undeliveredBytes + size <= maxWaitingBytes, !droppable.isEmpty else {
            return false
        }
        var bytesToGo = size
        let load = load
        repeat {
            let oldest = droppable.first
            bytesToGo -= table[oldest]?.record.size ?? 0
            end(oldest, reason: .dropped(load))
        } while bytesToGo > 0 && !droppable.isEmpty && !(fits(size) && bytes + size <= allowance.bytes)
        allowance.overdraw(bytes + size, in: budget)
        return true
    }

    /// Whether the name's own limits have room.
    ///
    /// Pushes that were written and refused do not count. While there are as many of them as may wait, nothing is
    /// added. Otherwise the queue would grow without a bound while a peer refuses every stream.
    func fits(_ size: Int) -> Bool {
        queued < maxWaiting && refusedAgain < maxWaiting && queuedBytes + size <= maxWaitingBytes
    }

    /// Reserves room, here and in the runtime's budget; false if there is none.
    mutating func reserve(_ size: Int, waits: Bool) -> Bool {
        fits(size) && allowance.reach(bytes + size, in: budget, waits: waits)
    }

    // MARK: Parked pushes

    mutating func park(_ slot: Int32) {
        table[slot]?.record.wasParked = true
        parked.append(slot, in: &admissions)
        promote()
    }

    /// Counts parked pushes in order while there is room.
    mutating func promote() {
        while !parked.isEmpty {
            let slot = parked.first
            guard let size = table[slot]?.record.size, reserve(size, waits: true) else { return }
            parked.remove(slot, in: &admissions)
            table[slot]?.admission = .counted
            waiting += 1
            waitingBytes += size
        }
    }

    /// A push has stopped waiting.
    mutating func release(_ slot: Int32, push: borrowing WaitingPush) {
        if push.history.isRefusedAgain { refusedAgain -= 1 }
        switch push.admission {
        case .counted:
            waiting -= 1
            waitingBytes -= push.record.size
            if !push.record.wasParked { droppable.remove(slot, in: &admissions) }
        case .parked: parked.remove(slot, in: &admissions)
        case .free:
            retrying -= 1
            retryingBytes -= push.record.size
        }
    }

    // MARK: Undelivered answers

    /// A push ends here. If it has a completion, it counts until that has returned.
    mutating func willAnswer(_ record: PushRecord) {
        if record.outcome.isDelivered { addUndelivered(1, bytes: record.size) }
    }

    /// Answers have arrived: they count whether or not there is room.
    mutating func addUndelivered(_ count: Int, bytes added: Int) {
        undelivered += count
        undeliveredBytes += added
        allowance.cover(bytes, in: budget)
    }

    /// This many completions have returned.
    mutating func delivered(_ count: Int, bytes: Int) {
        undelivered -= count
        undeliveredBytes -= bytes
    }
}

/// A room's share of the runtime's byte budget.
struct RoomAllowance {
    private(set) var bytes = 0
    /// How much of it was overdrawn, for pushes that replace older ones.
    private var overdrawn = 0
    /// True while the budget knows that a caller here waits for bytes.
    var waitsForBudget = false
    /// Called when the budget has bytes again.
    var onBudget: (@Sendable () -> Void)?

    /// Reserves this number of bytes in total; false if the budget does not have them.
    mutating func reach(_ needed: Int, in budget: ByteBudget, waits: Bool) -> Bool {
        let missing = needed - bytes
        guard missing > 0 else { return true }
        if waits, waitsForBudget { return false }
        let granted = budget.reserve(missing, orCall: waits ? onBudget : nil)
        bytes += granted
        waitsForBudget = waitsForBudget || (waits && granted == 0)
        return granted > 0
    }

    /// Reserves this number of bytes in total for pushes that replace older ones, even if the budget does not have
    /// them.
    mutating func overdraw(_ needed: Int, in budget: ByteBudget) {
        let missing = needed - bytes
        guard missing > 0 else { return }
        let granted = budget.reserve(missing)
        if granted == 0 {
            budget.overdraw(missing)
            overdrawn += missing
        }
        bytes += max(granted, missing)
    }

    /// Reserves bytes for what is here already, even if the budget does not have them.
    mutating func cover(_ needed: Int, in budget: ByteBudget) {
        let missing = needed - bytes
        guard missing > 0 else { return }
        budget.overdraw(missing)
        bytes += missing
    }

    /// Removes and returns the surplus. A chunk is kept while the room is busy.
    mutating func takeSurplus(_ needed: Int, isIdle: Bool, chunk: Int) -> Int {
        let spare = bytes - needed
        let kept = isIdle ? 0 : chunk
        // Overdrawn bytes are returned first; of the rest only an amount that is worth a call.
        let surplus = overdrawn > 0 || isIdle || spare > 2 * kept ? max(0, spare - (overdrawn > 0 ? 0 : kept)) : 0
        overdrawn -= min(overdrawn, surplus)
        bytes -= surplus
        return surplus
    }
}

extension Int {
    /// The product, or the largest number if it is larger.
    fileprivate func saturatedProduct(_ other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
