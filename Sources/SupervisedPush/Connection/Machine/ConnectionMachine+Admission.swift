/// How pushes come in and become streams.
extension ConnectionMachine {
    mutating func accept(_ records: [PushRecord], _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        if let refusal = credential.refusal { return acceptRefused(records, refusal, now, &actions) }
        for record in records {
            let slot = table.insert(PushEntry(record))
            if !(record.policy.mayStandInLine && joinLine(slot)) { table.appendWaiting(slot) }
            deadlines.insert(slot, of: table)
        }
        admit(now, &actions)
    }

    mutating func inherit(_ pushes: [PassedOnPush], _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        if let refusal = credential.refusal {
            for push in pushes {
                let error = PushError.credentialRefused(push.record.id, refusal, push.worst)
                let outcome = push.record.answered.map { Result<PushResponse, PushError>.success($0.response) }
                actions.append(.finish(push.record, outcome ?? .failure(error), releases: push.isCounted))
            }
            return
        }
        for push in pushes {
            let slot = table.insert(PushEntry(push))
            if !(push.record.policy.mayStandInLine && joinLine(slot)) { table.returnToWaiting(slot) }
            deadlines.insert(slot, of: table)
        }
        admit(now, &actions)
    }

    /// Opens streams for those that wait, while the current link has room.
    mutating func admit(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        awaitedReset = nil
        guard case .up = phase, current != nil, !table.waiting.isEmpty, !holdsPushes(now, &actions) else { return }
        while let nextStream = current?.nextStream, !table.waiting.isEmpty {
            let slot = table.waiting.first
            guard let limit = table.limit(of: slot) else { return }
            if limit <= now {
                timeOutWaiting(slot, &actions)
            } else if nextStream > settings.plentyUpTo, streamsAreUsedUp(now, &actions) {
                return
            } else if current?.hasRoom == true || freeLateSlot(now, &actions) {
                submit(slot, now, &actions)
            } else {
                return
            }
        }
    }

    private mutating func submit(_ slot: Int32, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        guard let record = table.record(of: slot), let link = current?.id,
            let streamID = current?.openStream(of: process, now, settings.liveness)
        else { return }
        table.removeWaiting(slot)
        if record.head.template.hasAuthorization { current?.carriesForeignTokens = true }
        let (wasCounted, isNewLimit) = table.wrote(slot, on: link, streamID, now)
        if isNewLimit { deadlines.insert(slot, of: table) }
        inFlight += 1
        if wasCounted, record.policy.retries > 0 { statusRetries.wrote() }
        actions.append(.submit(link, stream: streamID.stream, slot: slot, record, streamID, releases: wasCounted))
    }

    /// Resets the oldest late stream of the current link for a push that needs its slot.
    private mutating func freeLateSlot(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) -> Bool {
        guard let link = current, link.open <= link.limit else { return false }
        var slot = table.late.first
        while slot >= 0, table[slot]?.link != link.id { slot = table.next(after: slot) }
        guard slot >= 0 else { return false }
        guard current?.resets.take(now) == true else {
            awaitedReset = link.resets.nextAvailable
            return false
        }
        endLate(slot, .noAnswer, resetting: true, &actions)
        return (current?.open ?? 0) < link.limit
    }

    /// Puts a push in flight back among those that wait, in its place in call order – or ends it, if it was tried too
    /// often. After the second refusal in a row it pauses first.
    mutating func returnToWaiting(
        _ slot: Int32, _ certainty: Certainty, isRefusal: Bool = false, _ now: MonotonicInstant,
        _ actions: inout [ConnectionAction]
    ) {
        guard var entry = table[slot] else { return }
        inFlight -= 1
        entry.worst = max(entry.worst, certainty)
        entry.withdrawal = nil
        guard entry.attempts < settings.maxAttempts, entry.record.policy.resend != .never else {
            table[slot] = entry
            return finish(slot, .notResent(entry), &actions)
        }
        if let refusal = credential.refusal, credential.probe != slot {
            let error = PushError.credentialRefused(entry.record.id, refusal, entry.worst, entry.streamID)
            table[slot] = entry
            return finish(slot, error, &actions)
        }
        entry.refusals = isRefusal ? min(entry.refusals + 1, 100) : 0
        let pause = RefusalPause.length(refusals: Int(entry.refusals))
        table[slot] = entry
        guard let pause else { return waitForStream(slot) }
        put(slot, off: .refused, until: now.advanced(by: pause))
        table.append(slot, to: &refused)
    }
}
