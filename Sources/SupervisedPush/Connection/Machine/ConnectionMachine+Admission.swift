import ProcessRuntime

/// How many pushes the connection can accept, and how they become streams.
extension ConnectionMachine {
    /// What it can do for waiting pushes.
    func readiness(_ now: MonotonicInstant) -> RoomHolders.Readiness {
        // After the deadline of a close, pushes that are written have ended, and their streams are still open.
        guard let link = current, closingDeadline.map({ now < $0 }) ?? true else { return RoomHolders.Readiness() }
        var readiness = RoomHolders.Readiness(isThrottled: link.isThrottled, isUp: true)
        readiness.isAsking = link.liveness.isHolding
        guard !readiness.isAsking else { return readiness }
        readiness.quietAt = link.liveness.quietAt
        let numbers = link.nextStream > settings.lastStream ? 0 : Int((settings.lastStream - link.nextStream) / 2) + 1
        readiness.free = max(0, min(link.limit - link.open, numbers, link.offer?.left ?? .max))
        readiness.bodies = link.bodies
        readiness.mayMakeRoom = numbers == 0
        if readiness.free == 0, numbers > 0, link.open <= link.limit, !table.late.isEmpty {
            readiness.mayMakeRoom = table.lateCount(on: link.id, upTo: 1) > 0
            readiness.resettable = min(numbers, table.lateCount(on: link.id, upTo: link.resets.available(now)))
        }
        return readiness
    }

    /// Pushes from the room are written; those that cannot be written are returned.
    mutating func taken(_ supply: RoomSupply) {
        awaitedReset = nil
        var next = 0
        while next < supply.pushes.count, makeRoom(for: supply.pushes[next].record.size),
            submit(supply.pushes, at: next)
        {
            next += 1
        }
        for push in supply.pushes[next...] { actions.append(.giveBack(ReturnedPush(untouched: push))) }
        // A late stream does not help a push that waits for the windows.
        if supply.moreWaits, !supply.isShort { wantMore() }
        followWindow(isShort: supply.isShort)
        if supply.isDone { endIfClosed() }
    }

    /// True if the current link can accept a push of this size now, perhaps in place of a late one.
    private mutating func makeRoom(for bytes: Int) -> Bool {
        guard let link = current?.room(for: bytes), link.takesBody, link.nextStream <= settings.lastStream else {
            return false
        }
        if link.nextStream > settings.plentyUpTo { replaceByChoice(.streamsRunOut) }
        return link.hasStream || freeLateSlot()
    }

    /// The push is passed as an index, to avoid a copy per push.
    private mutating func submit(_ pushes: [WaitingPush], at index: Int) -> Bool {
        let (record, history) = (pushes[index].record, pushes[index].history)
        guard
            let (link, streamID, goesAlone) = current?.openStream(
                for: record, of: process, now, policy: settings.liveness)
        else { return false }
        let isFirst = history.attempts == 0
        let slot = table.insert(
            PushEntry(record, history: history, hasTurn: pushes[index].hasTurn, on: link, streamID: streamID, now))
        deadlines.insert(slot, of: table.entries)
        if goesAlone { current?.alone = slot }
        // Also if this connection has a newer credential already: the room waits for what becomes of its probe.
        if pushes[index].isProbe { credential.probe = slot }
        inFlight += 1
        actions.append(.submit(link, stream: streamID.stream, slot: slot, record, streamID, isFirst: isFirst))
        return true
    }

    /// More pushes wait than there is room for.
    private mutating func wantMore() {
        guard let link = current else { return }
        if link.nextStream > settings.lastStream {
            replaceByForce("stream numbers used up", cause: nil)
        } else if !link.hasRoom, link.open <= link.limit, !link.liveness.holds(now),
            table.lateCount(on: link.id, upTo: 1) > 0
        {
            awaitedReset = max(now, link.resets.nextAvailable)
        }
    }

    /// Resets the oldest late stream of the current link for a push that needs its slot.
    private mutating func freeLateSlot() -> Bool {
        guard let link = current, link.open <= link.limit, let slot = table.oldestLate(on: link.id),
            current?.resets.take(now) == true
        else { return false }
        endLate(slot, with: .noAnswer, resetting: true)
        return (current?.open ?? 0) < link.limit
    }

    /// Returns a push in flight to the room, or ends it if it was tried too often.
    mutating func giveBack(_ slot: Int32, certainty: Certainty, cause: ReturnedPush.Cause) {
        guard var entry = table[slot] else { return }
        entry.history.worst = max(entry.history.worst, certainty)
        guard entry.history.attempts < settings.maxAttempts, entry.record.policy.resend != .never else {
            table[slot] = entry
            inFlight -= 1
            return finish(slot, with: .notResent(entry))
        }
        table[slot] = entry
        returnToRoom(slot, cause: cause)
    }

    /// Returns a push in flight to the room.
    mutating func returnToRoom(_ slot: Int32, cause: ReturnedPush.Cause) {
        guard let entry = table.take(slot) else { return }
        inFlight -= 1
        var isProbe = credential.probe == slot
        if isProbe { credential.probe = nil }
        if isProbe, current == nil, dialed == nil {
            // It comes back from a draining link. No other link is dialled for a refused credential.
            isProbe = false
            actions.append(.probeEnded)
        }
        actions.append(
            .giveBack(
                ReturnedPush(
                    record: entry.record, history: entry.history, cause: cause, hasTurn: entry.hasTurn, isProbe: isProbe
                )))
    }
}

extension ReturnedPush {
    /// A push that was taken and not written.
    init(untouched push: WaitingPush) {
        self.init(
            record: push.record, history: push.history, cause: .untouched(push), hasTurn: push.hasTurn,
            isProbe: push.isProbe)
    }
}
