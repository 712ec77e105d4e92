import ProcessRuntime

/// What one drain of a process changed for its room.
struct RoomChanges {
    /// How many of its pushes ended.
    var ended = 0
    /// The recipients of pushes that had their turn and ended.
    var turnsEnded: [Recipient] = []
    /// Pushes that were written, with their streams.
    var opened: [(record: PushRecord, streamID: PushStreamID)] = []
    var returned: [ReturnedPush] = []
    /// Answers to pushes that ask for retries.
    var answers: [RetryAnswer] = []
    /// How many pushes were accepted.
    var accepted = 0
    /// Its link received SETTINGS.
    var hasSettings = false
    /// How many streams of its link ended.
    var settledStreams = 0
    /// Outcomes that it delivers; they count until they are delivered.
    var undelivered = 0
    var undeliveredBytes = 0

    /// Whether there is nothing to report.
    var isEmpty: Bool {
        ended == 0 && opened.isEmpty && returned.isEmpty && answers.isEmpty && undelivered == 0 && turnsEnded.isEmpty
    }

    mutating func removeAll() {
        let opened = opened
        self = RoomChanges()
        guard opened.capacity < 1_024 else { return }
        self.opened = opened
        self.opened.removeAll(keepingCapacity: true)
    }
}

/// What a holder receives.
struct RoomSupply {
    var pushes: [WaitingPush] = []
    /// More pushes wait that it may take.
    var moreWaits = false
    /// The next one waits for the windows of its link.
    var isShort = false
    /// The name is closing; nothing waits or can come back.
    var isDone = false
    /// How many pushes wait in the room, and how many wait there to be sent again.
    var waiting = 0
    var retrying = 0

    /// Whether there is nothing to report.
    var isNone: Bool { pushes.isEmpty && !moreWaits && !isShort && !isDone }
}

/// The exchange between the room and its holders.
extension WaitingRoom {
    /// A holder reports what changed, and takes as many pushes as it has room for. Called at the end of each drain of a
    /// process.
    mutating func exchange(_ id: HolderID, changes: inout RoomChanges, readiness: RoomHolders.Readiness) -> RoomSupply {
        guard let holder = holders[id] else { return RoomSupply() }
        apply(&changes, from: id)
        guard !holder.isLeaving else {
            retryAnswered(&changes, from: id)
            holders.looked(id, readiness: RoomHolders.Readiness())
            wakeForRest()
            return RoomSupply(isDone: true)
        }
        let wasTold = holders.isTold(id)
        // Code that compares kinds of links must see this one's present state.
        if holders.count > 1 { holders.looked(id, readiness: readiness) }
        var readiness = readiness
        let (pushes, left) = pull(id, readiness: &readiness, wasTold: wasTold)
        retryAnswered(&changes, from: id)
        held += pushes.count
        let moreWaits = nextSlot(for: id, readiness: readiness) != nil
        readiness.free = max(0, readiness.free - pushes.count)
        // If it may reset no stream now and pushes wait, it looks again on its own when it may.
        readiness.resettable = left > 0 || moreWaits ? left : readiness.mayMakeRoom ? 1 : 0
        holders.looked(id, readiness: readiness)
        wakeForRest()
        // After the deadline, no push waits again.
        let isOver = isClosed && (isDone || endReason != nil || closesAt.map { $0 <= now } ?? false)
        return RoomSupply(
            pushes: pushes, moreWaits: moreWaits, isShort: readiness.isShort, isDone: isOver, waiting: waiting,
            retrying: retrying)
    }

    /// A holder that takes no more pushes returns what it has. Pushes bound to it may go to any holder.
    mutating func leave(_ id: HolderID, changes: inout RoomChanges) {
        // A process that was killed before it began never joined.
        guard holders.contains(id) else { return }
        apply(&changes, from: id)
        retryAnswered(&changes, from: id)
        release(id)
        // Its knowledge of the credential is lost with it.
        if health.isProbing, prober == id { health.probeEnded(now) }
        holders.leave(id)
        wakeForRest()
    }

    /// A holder finishes its pushes, and takes no more.
    mutating func beginLeaving(_ id: HolderID) {
        guard holders.contains(id) else { return }
        holders.setLeaving(id)
        release(id)
        wakeForRest()
    }

    private mutating func release(_ id: HolderID) {
        while let slot = holders[id]?.bound.first, slot >= 0, let push = table[slot] {
            // No other holder is about to probe the credential.
            if push.isProbe, let refusal = health.refusal {
                end(slot, reason: .refused(refusal))
                continue
            }
            leavePlace(slot, push: push)
            table[slot]?.holder = Self.nobody
            returnToReady(slot)
        }
        while let slot = holders[id]?.refused.first, slot >= 0 {
            holders.removeRefused(slot, from: id, in: &places)
            table[slot]?.holder = Self.nobody
        }
        // Including pushes that pause or wait for their turn, because its number will be reused soon.
        for slot in table.slots where table[slot]?.holder == id {
            if table[slot]?.isProbe == true, let refusal = health.refusal {
                end(slot, reason: .refused(refusal))
            } else {
                table[slot]?.holder = Self.nobody
            }
        }
    }

    // MARK: Returned pushes

    private mutating func apply(_ changes: inout RoomChanges, from id: HolderID) {
        for (record, streamID) in changes.opened {
            record.streamID = streamID
            record.attempts += 1
        }
        held -= changes.ended + changes.returned.count
        if changes.undelivered > 0 { addUndelivered(changes.undelivered, bytes: changes.undeliveredBytes) }
        for answer in changes.answers { count(answer) }
        if changes.accepted > 0 { health.noteAccepted() }
        if changes.returned.count > 1 { changes.returned.sort { $0.record.callNumber < $1.record.callNumber } }
        for push in changes.returned where !push.isAnswered { takeBack(push, from: id) }
        for recipient in changes.turnsEnded { passTurn(of: recipient) }
        if changes.hasSettings || changes.settledStreams > 0 { endRefusals(of: id, changes: changes) }
    }

    /// Decides on retries. This happens after the pull, because a retry pauses, and pushes written in the meantime pay
    /// for it.
    private mutating func retryAnswered(_ changes: inout RoomChanges, from id: HolderID) {
        for push in changes.returned where push.isAnswered { takeBack(push, from: id) }
    }

    private mutating func takeBack(_ returned: ReturnedPush, from id: HolderID) {
        let record = returned.record
        var push = WaitingPush(record, history: returned.history)
        if case .untouched(let taken) = returned.cause { push = taken }
        push.hasTurn = returned.hasTurn
        // The credential may have been refused again in the meantime, by something other than this push.
        push.isProbe = returned.isProbe && health.isProbing
        // No other connection has a link for it.
        if push.isProbe { push.holder = id }
        push.admission = .free
        retrying += 1
        retryingBytes += record.size
        if push.history.isRefusedAgain { refusedAgain += 1 }
        let slot = table.insert(push)
        record.standing = .waiting(slot)
        // It is in no list until its next step is decided.
        table[slot]?.place = .paused
        deferredCount += 1
        if let reason = endOfReturned(push, cause: returned.cause, from: id) {
            return end(slot, reason: reason)
        }
        deferredCount -= 1
        allowance.cover(bytes, in: budget)
        deadlines.insert(slot, of: table)
        switch returned.cause {
        case .untouched(let taken):
            if taken.admission != .free { countAgain(slot) }
            if !holders.takes(taken.holder) { table[slot]?.holder = Self.nobody }
            returnToReady(slot)
        case .unanswered(let isRefusal): returnUnanswered(slot, isRefusal: isRefusal, from: id)
        case .needsFreshLink:
            if holders.takes(id) { table[slot]?.holder = id }
            returnToReady(slot)
        case .answered(var response, let start):
            guard let reason = retry(slot, after: response, from: start) else { return }
            response.retryHeldBack = reason
            table[slot]?.place = .paused
            deferredCount += 1
            end(slot, reason: .answered(response))
        }
    }

    /// How a returned push ends; nil if it waits again. One that was answered has its answer.
    private func endOfReturned(
        _ push: WaitingPush, cause: ReturnedPush.Cause, from id: HolderID
    ) -> RoomEnding.Reason? {
        let reason = whyNotAgain(push, from: id)
        guard case .answered(let response, _) = cause else {
            return reason ?? (push.record.times.whileWaiting.instant <= now ? .expired : nil)
        }
        return reason.map { _ in .answered(response) }
    }

    private func whyNotAgain(_ push: WaitingPush, from id: HolderID) -> RoomEnding.Reason? {
        if push.record.isCancelled { return .cancelled }
        if let refusal = health.refusal, !push.isProbe || !holders.takes(id) { return .refused(refusal) }
        if let endReason { return endReason }
        if let closesAt, closesAt <= now { return .closed }
        return nil
    }

    private mutating func countAgain(_ slot: Int32) {
        guard let record = table[slot]?.record else { return }
        table[slot]?.admission = .counted
        retrying -= 1
        retryingBytes -= record.size
        waiting += 1
        waitingBytes += record.size
        guard !record.wasParked else { return }
        var before: Int32 = -1
        var cursor = droppable.first
        while cursor >= 0, callNumber(of: cursor) < record.callNumber {
            before = cursor
            cursor = admissions.next(after: cursor)
        }
        droppable.insert(slot, after: before, in: &admissions)
    }

    /// It pauses first after the second refusal in a row.
    private mutating func returnUnanswered(_ slot: Int32, isRefusal: Bool, from id: HolderID) {
        guard let push = table[slot] else { return }
        let refusals = isRefusal ? min(push.history.refusals + 1, 100) : 0
        setRefusals(of: slot, to: refusals)
        guard let pause = RefusedStreamBackoff.length(refusals: Int(refusals)), !push.isProbe else {
            return returnToReady(slot)
        }
        deferPush(slot, place: .refused, until: now.advanced(by: pause))
        guard holders.takes(id) else { return }
        table[slot]?.holder = id
        holders.appendRefused(slot, to: id, in: &places)
    }

    mutating func setRefusals(of slot: Int32, to refusals: UInt8) {
        if table[slot]?.history.isRefusedAgain == true { refusedAgain -= 1 }
        table[slot]?.history.refusals = refusals
        if table[slot]?.history.isRefusedAgain == true { refusedAgain += 1 }
    }

    /// SETTINGS arrived: all pushes that the connection refused may be tried again. A stream ended: there is room for
    /// the first of them.
    private mutating func endRefusals(of id: HolderID, changes: RoomChanges) {
        var left = changes.hasSettings ? Int.max : changes.settledStreams
        while left > 0, let slot = holders[id]?.refused.first, slot >= 0 {
            left -= 1
            returnFromDeferral(slot)
        }
    }

    // MARK: Taken pushes

    /// - Parameter readiness: Afterwards, it says how large the bodies of the next pushes may be.
    /// - Returns: The pushes that the holder takes, and how many late streams it could still reset for more.
    private mutating func pull(
        _ id: HolderID, readiness: inout RoomHolders.Readiness, wasTold: Bool
    ) -> (pushes: [WaitingPush], resettable: Int) {
        if let closesAt, closesAt <= now { endAll(.closed) }
        guard readiness.isUp, readiness.quietAt > now else { return ([], readiness.resettable) }
        let usesLate = readiness.free == 0
        var left = usesLate ? readiness.resettable : readiness.free
        guard left > 0, table.count > 0 else { return ([], readiness.resettable) }
        let isAlone = holders.count == 1
        // More wait than it has streams for: they have waited for long. What a share leaves has just come.
        let isBacklog = ready.count > left
        // Only a share, so that connections that look a moment later have work, too.
        if !isAlone { left = min(left, max(64, (ready.count + suspects.count) / max(1, holders.roomy))) }
        let allowed = left
        // Each holder that was woken finds a push; others get only what is left.
        let reserved = isAlone || wasTold ? 0 : holders.told
        var pushes: [WaitingPush] = []
        pushes.reserveCapacity(min(left, ready.count + suspects.count))
        var aged = isBacklog ? AgedPushes(ready, in: table, links: places) : nil
        while left > 0, let slot = nextSlot(for: id, readiness: readiness) {
            if reserved > 0, table[slot]?.place == .ready, ready.count + suspects.count <= reserved { break }
            guard let limit = table.limit(of: slot), limit > now else {
                end(slot, reason: .expired)
                continue
            }
            let bytes = bytes(of: slot)
            guard readiness.bodies.takes(bytes) else {
                readiness.isShort = true
                break
            }
            aged?.advance(in: table, links: places)
            guard let push = take(slot) else { break }
            readiness.bodies.take(bytes)
            push.record.standing = .held(id)
            if push.history.attempts == 0, push.record.policy.retries > 0 { retries.wrote() }
            pushes.append(push)
            left -= 1
        }
        return (pushes, usesLate ? readiness.resettable - (allowed - left) : readiness.resettable)
    }

    /// The first in call order of the pushes that it may take.
    private func nextSlot(for id: HolderID, readiness: RoomHolders.Readiness) -> Int32? {
        let bound = holders.boundFirst(id)
        let isAlone = holders.count == 1
        let takesOrdinary = isAlone || !readiness.isThrottled || !holders.isChoosy(isSuspect: false)
        let takesSuspects = isAlone || readiness.isThrottled || !holders.isChoosy(isSuspect: true)
        let ordinary = takesOrdinary ? ready.first : -1
        let suspect = takesSuspects ? suspects.first : -1
        if bound < 0 && suspect < 0 { return ordinary < 0 ? nil : ordinary }
        var best: Int32 = -1
        for slot in [bound, ordinary, suspect] where slot >= 0 {
            if best < 0 || callNumber(of: slot) < callNumber(of: best) { best = slot }
        }
        return best < 0 ? nil : best
    }

    // MARK: Wake-ups

    /// A push arrived that any connection may take: wake one.
    mutating func wakeNext(isSuspect: Bool) {
        guard !holders.areBusy else { return }
        let bytes = bytes(of: isSuspect ? suspects.first : ready.first)
        let id = holders.takeNext(isSuspect: isSuspect, bytes: bytes, now) ?? takeShort() ?? holders.takeQuiet()
        if let id { return effects.wake(id) }
        while let id = holders.takeNewlyShort() { wake(id) }
    }

    /// Removes and returns a holder whose windows were too small for another push, and take the one that is next now.
    private mutating func takeShort() -> HolderID? {
        var id = holders.nextShort()
        while id >= 0, !fits(id) { id = holders.nextShort(after: id) }
        guard id >= 0 else { return nil }
        holders.tell(id)
        return id
    }

    /// Whether the windows of a holder take the next push that it may take.
    private func fits(_ id: HolderID) -> Bool {
        guard let readiness = holders[id]?.readiness, let slot = nextSlot(for: id, readiness: readiness) else {
            return false
        }
        return readiness.bodies.takes(bytes(of: slot))
    }

    /// The body bytes of a push, without a copy of the whole value; 0 without a push.
    private func bytes(of slot: Int32) -> Int {
        guard table.contains(slot) else { return 0 }
        return table.values[Int(slot)]?.record.size ?? 0
    }

    /// Wakes the next holder for the remaining pushes.
    mutating func wakeForRest() {
        // Each holder that was woken takes one.
        if ready.count + suspects.count > holders.told {
            if !ready.isEmpty { wakeNext(isSuspect: false) }
            if !suspects.isEmpty { wakeNext(isSuspect: true) }
        }
        for id in holders.idsWithBound where holders.canTake(id) && (!holders.isShort(id) || fits(id)) {
            wake(id)
        }
    }

    mutating func wake(_ id: HolderID) {
        if holders.wake(id) { effects.wake(id) }
    }
}
