/// What is sent again although it was answered, or may have been processed: only what the push's policy asks for.
extension ConnectionMachine {
    /// An answer came for a push in flight whose stream is counted off already: the push ends, or is retried.
    mutating func settleAnswer(
        _ slot: Int32, _ response: PushResponse, retryFrom: MonotonicInstant?, _ now: MonotonicInstant,
        _ actions: inout [ConnectionAction]
    ) {
        guard let policy = table.record(of: slot)?.policy else { return }
        var response = response
        if policy.retries > 0 {
            switch retry(slot, response, policy.statusRetry, from: retryFrom, now) {
            case .goesAgain: return
            case .isHeldBack(let reason): response.retryHeldBack = reason
            case .ends: break
            }
        }
        inFlight -= 1
        finish(slot, response, &actions)
    }

    private enum RetryVerdict {
        /// After a pause.
        case goesAgain
        /// Its policy asks for a retry, and something is against it.
        case isHeldBack(RetryHeldBack)
        case ends
    }

    /// - Parameter start: what `Retry-After` says.
    private mutating func retry(
        _ slot: Int32, _ response: PushResponse, _ policy: StatusRetryPolicy, from start: MonotonicInstant?,
        _ now: MonotonicInstant
    ) -> RetryVerdict {
        guard let entry = table[slot], entry.withdrawal == nil else { return .ends }
        let record = entry.record
        let retries = record.answered?.retries ?? 0
        let start = min(max(start ?? now, now), now.advanced(by: StatusRetries.longestRetryAfter))
        statusRetries.note(status: response.status, now)
        note(response, of: entry, from: start, now)
        guard policy.statuses.contains(status: response.status), response.reason != .tooManyProviderTokenUpdates,
            retries < policy.retries, entry.attempts < settings.maxAttempts
        else { return .ends }
        // A push that pauses has freed its stream and counts against no bound: this is its bound.
        guard deferredCount < settings.maxDeferred else { return .isHeldBack(.waiting) }
        let pause = statusRetries.pause(policy, number: retries + 1)
        let opening = throttle.opening(of: record.recipient) ?? now
        let goesAt = max(start.advanced(by: pause), opening)
        // A pause that outlasts the push's time, or the connection's, would keep its answer from the caller for nothing.
        let end = min(record.times.whileWaiting.instant, closingDeadline ?? PushTimes.never)
        guard goesAt < end else { return .isHeldBack(.time) }
        if let reason = statusRetries.take(now) { return .isHeldBack(reason) }
        record.answered = RetriedAnswer(response, retries: retries + 1)
        inFlight -= 1
        table[slot]?.refusals = 0
        pauseBeforeRetry(slot, until: goesAt)
        return .goesAgain
    }

    /// The pause before a retry is over. True if it is not made, because APNs fails altogether: then the push ends with the answer
    /// that it has.
    mutating func retryIsStopped(
        _ slot: Int32, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) -> Bool {
        guard var response = table[slot]?.record.answered?.response else { return false }
        var opening: RetryBreaker.Opening?
        let mayGo = statusRetries.mayGo(now, opening: &opening)
        if let opening { actions.append(.post(.retriesStopped(opening))) }
        guard !mayGo else { return false }
        response.retryHeldBack = .breaker
        takeOut(slot)
        finish(slot, response, &actions)
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
    private mutating func note(
        _ response: PushResponse, of entry: PushEntry, from start: MonotonicInstant, _ now: MonotonicInstant
    ) {
        guard entry.record.policy.waitsForThrottle else { return }
        let recipient = entry.record.recipient
        if response.status == 429, response.reason != .tooManyProviderTokenUpdates {
            throttle.refused(recipient, now, until: start)
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
