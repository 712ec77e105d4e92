import ProcessRuntime

/// What the status retries of a name share: the budget, the breaker, and the randomness that spreads them.
struct StatusRetries {
    /// The longest `Retry-After` that is respected.
    static let longestRetryAfter = Duration.seconds(300)

    private(set) var budget = RetryBudget()
    private(set) var breaker = RetryBreaker()
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A push that asks for retries is about to be written for the first time.
    mutating func wrote() { budget.payIn() }

    /// A push that asks for retries was answered.
    mutating func note(status: Int, _ now: MonotonicInstant) { breaker.note(status: status, now) }

    /// The pause before a retry, `number` from 1: doubling, then shortened at random to between half and all of itself.
    mutating func pause(_ policy: StatusRetryPolicy, number: Int) -> Duration {
        var pause = policy.firstDelay
        // Doubled step by step: the limit prevents an overflow.
        for _ in 1..<max(number, 2) where number > 1 && pause < policy.longestDelay { pause = pause * 2 }
        return min(pause, policy.longestDelay) * Double.random(in: 0.5...1, using: &random)
    }

    /// Takes one retry from the budget; returns what prevents it, if anything does.
    mutating func take(_ now: MonotonicInstant) -> RetryHeldBack? {
        if breaker.isOpen(now) { return .breaker }
        return budget.take(now) ? nil : .budget
    }

    /// The pause before a granted retry is over. False while the breaker is open: the retry is not made.
    ///
    /// - Parameter opening: What opens the breaker at this moment, if it opens.
    mutating func mayGo(_ now: MonotonicInstant, opening: inout RetryBreaker.Opening?) -> Bool {
        opening = breaker.judge(now)
        return !breaker.isOpen(now)
    }
}

/// The answer of a push that is retried, and the number of its retries. Stored in its record.
final class RetriedAnswer: Sendable {
    let response: PushResponse
    let retries: Int

    init(_ response: PushResponse, retries: Int) {
        self.response = response
        self.retries = retries
    }
}
