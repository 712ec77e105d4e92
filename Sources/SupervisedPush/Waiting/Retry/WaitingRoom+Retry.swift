import ProcessRuntime

/// Pushes that were answered and ask to be retried.
extension WaitingRoom {
    /// Why an answered push does not go again; nil: it goes, and pauses.
    ///
    /// - Parameter start: What `Retry-After` says.
    mutating func retry(
        _ slot: Int32, _ response: PushResponse, from start: MonotonicInstant?, _ now: MonotonicInstant
    ) -> RetryHeldBack? {
        guard let push = table[slot] else { return nil }
        let record = push.record
        let policy = record.policy.statusRetry
        let retries = record.answered?.retries ?? 0
        let start = Self.start(start, now)
        // A push that pauses counts against no other bound.
        guard deferredCount < maxWaiting else { return .waiting }
        let pause = self.retries.pause(policy, number: retries + 1)
        let opening = throttle.opening(of: record.recipient) ?? now
        let goesAt = max(start.advanced(by: pause), opening)
        // A pause that outlasts the push's time, or the connection's, would keep its answer from the caller for
        // nothing.
        let end = min(record.times.whileWaiting.instant, closesAt ?? PushTimes.never)
        guard goesAt < end else { return .time }
        if let reason = self.retries.take(now) { return reason }
        record.answered = RetriedAnswer(response, retries: retries + 1)
        table[slot]?.history.refusals = 0
        pauseBeforeRetry(slot, until: goesAt)
        return nil
    }

    /// The pause before a retry is over. True if it is not made, because APNs fails altogether: then the push ends with
    /// the answer that it has.
    mutating func retryIsStopped(_ slot: Int32, _ now: MonotonicInstant, _ effects: inout RoomEffects) -> Bool {
        guard var response = table[slot]?.record.answered?.response else { return false }
        var opening: RetryBreaker.Opening?
        let mayGo = retries.mayGo(now, opening: &opening)
        if let opening { effects.further().opening = opening }
        guard !mayGo else { return false }
        response.retryHeldBack = .breaker
        end(slot, .answered(response), &effects)
        return true
    }

    /// A push that asks for retries was answered: what that says of APNs and of its device.
    mutating func note(_ answer: RetryAnswer, _ now: MonotonicInstant) {
        retries.note(status: answer.status, now)
        guard let recipient = answer.recipient else { return }
        if answer.isThrottled {
            throttle.refused(recipient, now, until: Self.start(answer.from, now))
        } else if answer.status < 500, answer.status != 429, let opening = throttle.opening(of: recipient),
            opening <= now
        {
            throttle.forget(recipient)
        }
    }

    private static func start(_ start: MonotonicInstant?, _ now: MonotonicInstant) -> MonotonicInstant {
        min(max(start ?? now, now), now.advanced(by: StatusRetries.longestRetryAfter))
    }
}

/// An answer to a push that asks for retries.
struct RetryAnswer {
    let status: Int
    /// APNs said TooManyRequests of its device.
    let isThrottled: Bool
    /// Its device; nil unless the push waits where that is throttled.
    let recipient: Recipient?
    let from: MonotonicInstant?

    init(_ response: PushResponse, to record: PushRecord, from: MonotonicInstant?) {
        status = response.status
        isThrottled = response.status == 429 && response.reason != .tooManyProviderTokenUpdates
        recipient = record.policy.waitsForThrottle ? record.recipient : nil
        self.from = from
    }
}
