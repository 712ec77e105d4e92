/// What a connection's status retries have in common: the budget, the breaker, and the chance that spreads them.
struct StatusRetries {
    private(set) var budget = RetryBudget()
    private(set) var breaker = RetryBreaker()
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A push that asks for retries was answered.
    mutating func note(status: Int, isFirst: Bool, _ now: MonotonicInstant) {
        breaker.note(status: status, now)
        if isFirst { budget.payIn() }
    }

    /// The pause before a retry, `number` from 1: doubling, and between half and the whole of itself by chance.
    mutating func pause(_ policy: StatusRetryPolicy, number: Int) -> Duration {
        var pause = policy.firstDelay
        // Doubled step by step: the bound keeps it from running over.
        for _ in 1..<max(number, 2) where number > 1 && pause < policy.longestDelay { pause = pause * 2 }
        return min(pause, policy.longestDelay) * Double.random(in: 0.5...1, using: &random)
    }

    /// Takes one retry out of the budget; false if there is none, or the breaker is open.
    mutating func take(_ now: MonotonicInstant) -> Bool { !breaker.isOpen(now) && budget.take(now) }

    /// False while the breaker is open: a retry that was granted before is not made either.
    func mayGo(_ now: MonotonicInstant) -> Bool { !breaker.isOpen(now) }
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
