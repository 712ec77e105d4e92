import ProcessRuntime

/// What the status retries of a name have in common: the budget, the breaker, and the chance that spreads them.
struct StatusRetries {
    /// `Retry-After` counts up to here.
    static let longestRetryAfter = Duration.seconds(300)

    private(set) var budget = RetryBudget()
    private(set) var breaker = RetryBreaker()
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A push that asks for retries is about to be written for the first time.
    mutating func wrote() { budget.payIn() }

    /// A push that asks for retries was answered.
    mutating func note(status: Int, _ now: MonotonicInstant) { breaker.note(status: status, now) }

    /// The pause before a retry, `number` from 1: doubling, and between half and the whole of itself by chance.
    mutating func pause(_ policy: StatusRetryPolicy, number: Int) -> Duration {
        var pause = policy.firstDelay
        // Doubled step by step: the bound keeps it from running over.
        for _ in 1..<max(number, 2) where number > 1 && pause < policy.longestDelay { pause = pause * 2 }
        return min(pause, policy.longestDelay) * Double.random(in: 0.5...1, using: &random)
    }

    /// Takes one retry out of the budget; returns what is against it, if something is.
    mutating func take(_ now: MonotonicInstant) -> RetryHeldBack? {
        if breaker.isOpen(now) { return .breaker }
        return budget.take(now) ? nil : .budget
    }

    /// The pause before a retry that was granted is over. False while the breaker is open: then it is not made.
    ///
    /// - Parameter opening: What opens the breaker at this moment, if something does.
    mutating func mayGo(_ now: MonotonicInstant, opening: inout RetryBreaker.Opening?) -> Bool {
        opening = breaker.judge(now)
        return !breaker.isOpen(now)
    }
}

/// The answer that a push has while it is tried once more, and how often it was retried. Held by its record.
final class RetriedAnswer: Sendable {
    let response: PushResponse
    let retries: Int

    init(_ response: PushResponse, retries: Int) {
        self.response = response
        self.retries = retries
    }
}
