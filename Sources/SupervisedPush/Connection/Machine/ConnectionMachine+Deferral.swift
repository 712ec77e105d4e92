/// Pushes that wait for something else than a stream: a pause, SETTINGS, their turn at a device. They are not in the
/// waiting list meanwhile, return into it in call order, and keep their deadlines.
extension ConnectionMachine {
    /// Lets a push wait for something else. For a list or a line, the caller puts it in.
    ///
    /// The entry's limit becomes the end of the deferral, if that is the earlier one: so one queue holds both.
    mutating func put(_ slot: Int32, off deferral: PushEntry.Deferral, until end: MonotonicInstant?) {
        guard var entry = table[slot] else { return }
        var limit = entry.record.times.whileWaiting
        if let end, end < limit.instant { limit = PushTimes.Limit(instant: end, kind: limit.kind) }
        let isNewLimit = limit != entry.limit
        entry.state = .deferred(deferral)
        entry.link = LinkID(number: 0)
        entry.limit = limit
        table[slot] = entry
        deferredCount += 1
        if isNewLimit { deadlines.insert(slot, of: table) }
    }

    /// What a deferred push waited for has come, or its time is over.
    mutating func deferralEnded(
        _ slot: Int32, _ deferral: PushEntry.Deferral, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        guard let entry = table[slot] else { return }
        if entry.record.times.whileWaiting.instant <= now {
            timeOutWaiting(slot, &actions)
        } else if deferral != .pause || !retryIsStopped(slot, now, &actions) {
            returnFromDeferral(slot)
        }
    }

    /// Puts a deferred push back among those that wait, in its place in call order.
    private mutating func returnFromDeferral(_ slot: Int32) {
        takeOut(slot)
        waitForStream(slot)
    }

    /// Puts a push that stands in no list among those that wait, in its place in call order.
    mutating func waitForStream(_ slot: Int32) {
        guard var entry = table[slot] else { return }
        entry.state = .waiting
        let limit = entry.record.times.whileWaiting
        let isNewLimit = limit != entry.limit
        entry.limit = limit
        table[slot] = entry
        table.returnToWaiting(slot)
        if isNewLimit { deadlines.insert(slot, of: table) }
        hasReturned = true
    }

    /// Takes a push that is not written out of the list it stands in, whichever that is.
    mutating func takeOut(_ slot: Int32) {
        guard let entry = table[slot] else { return }
        switch entry.state {
        case .waiting: table.removeWaiting(slot)
        case .deferred(let deferral):
            deferredCount -= 1
            switch deferral {
            case .pause: break
            case .refused: table.remove(slot, from: &refused)
            case .turn: lines.leave(slot, entry.record.recipient, &table)
            }
        case .inFlight, .late: break
        }
    }

    // MARK: After REFUSED_STREAM

    /// SETTINGS came: all that were refused may try again.
    mutating func releaseRefused() {
        while !refused.isEmpty { returnFromDeferral(refused.first) }
    }

    /// A stream of the current link settled: there is room for one of those that were refused, the first one.
    mutating func streamSettled(on link: LinkID) {
        guard !refused.isEmpty, current?.id == link else { return }
        returnFromDeferral(refused.first)
    }

    // MARK: The lines of devices

    /// Puts a push into its device's line, if it asks for that or the device is throttled; false: it need not wait there.
    mutating func joinLine(_ slot: Int32) -> Bool {
        guard let record = table[slot]?.record else { return false }
        let recipient = record.recipient
        let opening = record.policy.waitsForThrottle ? throttle.opening(of: recipient) : nil
        guard record.policy.ordered == .perDevice || opening != nil else { return false }
        guard lines.enter(slot, recipient, &table) else {
            put(slot, off: .turn, until: nil)
            return true
        }
        table[slot]?.hasTurn = true
        if let opening { put(slot, off: .pause, until: opening) }
        return opening != nil
    }

    /// True if an earlier push to its device, whose order it asks for, has not ended.
    func mustWaitForDevice(_ record: PushRecord) -> Bool {
        record.policy.ordered == .perDevice && lines.holds(record.recipient)
    }

    /// A push that had its turn has ended: it is the next one's.
    mutating func passTurn(of recipient: Recipient) {
        guard let next = lines.pass(recipient, &table) else { return }
        deferredCount -= 1
        table[next]?.hasTurn = true
        if let opening = throttle.opening(of: recipient), table[next]?.record.policy.waitsForThrottle == true {
            // Whether that is over already, the next tick sees.
            put(next, off: .pause, until: opening)
        } else {
            waitForStream(next)
        }
    }
}
