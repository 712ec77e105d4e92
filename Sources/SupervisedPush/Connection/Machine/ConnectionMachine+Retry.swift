/// What is sent again although it was answered, or may have been processed: only what the push's policy asks for.
extension ConnectionMachine {
    /// An answer came for a push in flight whose stream is counted off already: the push ends, or is retried.
    mutating func settleAnswer(
        _ slot: Int32, _ response: PushResponse, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        guard let policy = table.record(of: slot)?.policy else { return }
        if policy.retries > 0, retry(slot, response, policy.statusRetry, now) { return }
        inFlight -= 1
        finish(slot, response, &actions)
    }

    /// True if the push goes again, after a pause.
    private mutating func retry(
        _ slot: Int32, _ response: PushResponse, _ policy: StatusRetryPolicy, _ now: MonotonicInstant
    ) -> Bool {
        guard let entry = table[slot], entry.withdrawal == nil else { return false }
        let record = entry.record
        let retries = record.answered?.retries ?? 0
        statusRetries.note(status: response.status, isFirst: retries == 0, now)
        note(response, of: entry, now)
        guard policy.statuses.contains(status: response.status), response.reason != .tooManyProviderTokenUpdates,
            retries < policy.retries, entry.attempts < settings.maxAttempts,
            // A push that pauses has freed its stream and counts against no bound: this is its bound.
            deferredCount < settings.maxDeferred
        else { return false }
        let pause = statusRetries.pause(policy, number: retries + 1)
        let opening = throttle.opening(of: record.recipient) ?? now
        let goesAt = max(now.advanced(by: pause), opening)
        // A pause that outlasts the push's time, or the connection's, would keep its answer from the caller for nothing.
        let end = min(record.times.whileWaiting.instant, closingDeadline ?? PushTimes.never)
        guard goesAt < end, statusRetries.take(now) else { return false }
        record.answered = RetriedAnswer(response, retries: retries + 1)
        inFlight -= 1
        table[slot]?.refusals = 0
        pauseBeforeRetry(slot, until: goesAt)
        return true
    }

    /// It keeps its turn, if it has one; else it gets into the line of a device that is throttled.
    private mutating func pauseBeforeRetry(_ slot: Int32, until end: MonotonicInstant) {
        guard let entry = table[slot] else { return }
        let recipient = entry.record.recipient
        if !entry.hasTurn, throttle.opening(of: recipient) != nil {
            guard lines.enter(slot, recipient, &table) else { return put(slot, off: .turn, until: nil) }
            table[slot]?.hasTurn = true
        }
        put(slot, off: .pause, until: end)
    }

    /// What an answer says about its device.
    private mutating func note(_ response: PushResponse, of entry: PushEntry, _ now: MonotonicInstant) {
        guard entry.record.policy.waitsForThrottle else { return }
        let recipient = entry.record.recipient
        if response.status == 429, response.reason != .tooManyProviderTokenUpdates {
            throttle.refused(recipient, now)
        } else if response.status < 500, response.status != 429, let opening = throttle.opening(of: recipient),
            opening <= now
        {
            throttle.forget(recipient)
        }
    }

    /// True if a push whose attempt ended unknown is to go again.
    func resendsUnknown(_ entry: PushEntry) -> Bool {
        entry.record.policy.resend == .resendUnknown && entry.attempts < settings.maxAttempts
    }
}
