import ProcessRuntime

/// Answered pushes that ask to be retried.
extension WaitingRoom {
    /// Why an answered push is not retried; nil: it pauses, then is retried.
    ///
    /// - Parameter start: The time from `Retry-After`.
    mutating func retry(_ slot: Int32, after response: PushResponse, from start: MonotonicInstant?) -> RetryHeldBack? {
        guard let push = table[slot] else { return nil }
        let record = push.record
        let policy = record.policy.statusRetry
        let retries = record.answered?.retries ?? 0
        let start = clamped(start)
        // A push that pauses counts against no other limit.
        guard deferredCount < maxWaiting else { return .waiting }
        let pause = self.retries.pause(policy, number: retries + 1)
        let opening = throttle.opening(of: record.recipient) ?? now
        let goesAt = max(start.advanced(by: pause), opening)
        // A pause that outlasts the push's or the connection's time would only delay the answer.
        let end = min(record.times.whileWaiting.instant, closesAt ?? PushTimes.never)
        guard goesAt < end else { return .time }
        if let reason = self.retries.take(now) { return reason }
        record.answered = RetriedAnswer(response, retries: retries + 1)
        // What came before the answer no longer counts.
        table[slot]?.history.forgetUncertainty()
        setRefusals(of: slot, to: 0)
        pauseBeforeRetry(slot, until: goesAt)
        return nil
    }

    /// The pause before a retry is over. True if the retry is not made, because APNs fails in general: the push then
    /// ends with the answer that it has.
    mutating func retryIsStopped(_ slot: Int32) -> Bool {
        guard var response = table[slot]?.record.answered?.response else { return false }
        var opening: RetryBreaker.Opening?
        let mayGo = retries.mayGo(now, opening: &opening)
        if let opening { effects.further().opening = opening }
        guard !mayGo else { return false }
        response.retryHeldBack = .breaker
        end(slot, reason: .answered(response))
        return true
    }

    /// A push that asks for retries was answered: records what that says about APNs and about its device.
    mutating func count(_ answer: RetryAnswer) {
        retries.count(status: answer.status, now)
        guard let recipient = answer.recipient else { return }
        if answer.isThrottled {
            throttle.refused(recipient, now, until: clamped(answer.from))
        } else if answer.status < 500, answer.status != 429, let opening = throttle.opening(of: recipient),
            opening <= now
        {
            throttle.forget(recipient)
        }
    }

    /// A time from `Retry-After`, not in the past and not too far ahead.
    private func clamped(_ start: MonotonicInstant?) -> MonotonicInstant {
        min(max(start ?? now, now), now.advanced(by: StatusRetries.longestRetryAfter))
    }
}

/// An answer to a push that asks for retries.
struct RetryAnswer {
    let status: Int
    /// APNs said TooManyRequests about its device.
    let isThrottled: Bool
    /// Its recipient; nil unless the push waits while that is throttled.
    let recipient: Recipient?
    let from: MonotonicInstant?

    init(_ response: PushResponse, to record: PushRecord, from: MonotonicInstant?) {
        status = response.status
        isThrottled = response.status == 429 && response.reason != .tooManyProviderTokenUpdates
        recipient = record.policy.waitsForThrottle ? record.recipient : nil
        self.from = from
    }
}

/// How long a push waits before it is written again after REFUSED_STREAM (RFC 9113, section 8.7), or after another end
/// of its stream after which it is resent.
///
/// After the first refusal it is resent at once, because usually the limit has just changed. After the second in a row
/// it waits for SETTINGS, for a stream that ends, or at most for this time.
enum RefusedStreamBackoff {
    static let first = Duration.milliseconds(100)
    static let longest = Duration.seconds(5)
    /// The refusals in a row that lead to a pause.
    static let fewest = 2

    /// 100 ms after the second refusal in a row, doubling to 5 s; nil after the first.
    static func length(refusals: Int) -> Duration? {
        guard refusals >= fewest else { return nil }
        return min(first * (1 << min(refusals - fewest, 10)), longest)
    }
}
