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
    mutating func count(status: Int, _ now: MonotonicInstant) { breaker.count(status: status, now) }

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

extension PushRecord {
    /// The outcome of a push whose last attempt ended with this error. A push that is retried ends with the answer that
    /// it has, unless an attempt after that answer may have been processed: nobody knows then what APNs' last word is.
    func outcome(_ error: PushError) -> Result<PushResponse, PushError> {
        guard let answered, error.certainty != .unknown else { return .failure(error) }
        return .success(answered.response)
    }
}

/// How many retries a connection may make: a token bucket. Each push that asks for retries adds a tenth of a retry when
/// it is first written, so the order of the answers does not matter. Each second adds one. It starts with ten.
///
/// So retries add at most a tenth to the load of a failing APNs, however many pushes fail. The bucket holds a thousand,
/// as many as a link takes at a time; time alone fills it to a hundred.
struct RetryBudget {
    /// Counted in tenths of a retry.
    static let price = 10
    static let start = 10 * price
    static let most = 1_000 * price
    static let mostByTime = 100 * price
    /// The time after which a tenth is added.
    static let interval = Duration.milliseconds(100)

    private var balance = start
    private var paidUntil: MonotonicInstant?

    /// A push that asks for retries is written for the first time.
    mutating func payIn() { balance = min(balance + 1, Self.most) }

    /// Takes a retry; false if there is none.
    mutating func take(_ now: MonotonicInstant) -> Bool {
        let since = paidUntil ?? now
        let grown = Int(clamping: Int64(since.duration(to: now) / Self.interval))
        if grown > 0 || paidUntil == nil {
            // Only whole intervals count, so that frequent calls do not lose the rest.
            paidUntil = since.advanced(by: Self.interval * grown)
            balance = max(balance, min(balance + max(0, min(grown, Self.mostByTime)), Self.mostByTime))
        }
        guard balance >= Self.price else { return false }
        balance -= Self.price
        return true
    }
}

/// Stops the retries of a connection while APNs fails in general, judged by the answers of the last ten seconds
/// (``AnswerWindow``), whatever their order.
///
/// It judges when a retry is about to be made, not when an answer arrives: in a burst, rejections arrive behind all
/// acceptances, because they have a body. If at least twenty of the answers were 500 or 503, and at least half of all,
/// it opens for 30 s. It closes earlier if fewer than half are.
struct RetryBreaker {
    static let least = 20
    static let pause = Duration.seconds(30)

    /// What opened it.
    struct Opening: Equatable {
        let failures: Int
        let answers: Int
    }

    private var window = AnswerWindow()
    private var opensUntil: MonotonicInstant?

    /// An answer arrived.
    mutating func count(status: Int, _ now: MonotonicInstant) {
        let isFailure = status == 500 || status == 503
        window.count(isFailure: isFailure, now)
        guard !isFailure, opensUntil != nil else { return }
        let (answers, failures) = window.sum(now)
        if failures * 2 < answers { opensUntil = nil }
    }

    /// A retry is about to be made. Returns what opens the breaker, if it opens.
    mutating func judge(_ now: MonotonicInstant) -> Opening? {
        guard !isOpen(now) else { return nil }
        let (answers, failures) = window.sum(now)
        guard failures >= Self.least, failures * 2 >= answers else { return nil }
        opensUntil = now.advanced(by: Self.pause)
        return Opening(failures: failures, answers: answers)
    }

    /// True while no retry may be made.
    func isOpen(_ now: MonotonicInstant) -> Bool { opensUntil.map { now < $0 } ?? false }
}

/// How many answers arrived in the last ten seconds, and how many of them were failures: ten buckets of a second each.
struct AnswerWindow {
    static let seconds = 10

    private struct Bucket {
        var second: Int64
        var answers = 0
        var failures = 0
    }

    /// Created with the first answer: most connections never retry.
    private var buckets: ContiguousArray<Bucket> = []

    mutating func count(isFailure: Bool, _ now: MonotonicInstant) {
        let second = Self.second(now)
        if buckets.isEmpty {
            buckets = ContiguousArray(repeating: Bucket(second: .min), count: Self.seconds)
        }
        let index = Int(second % Int64(Self.seconds))
        if buckets[index].second != second { buckets[index] = Bucket(second: second) }
        buckets[index].answers += 1
        if isFailure { buckets[index].failures += 1 }
    }

    /// What arrived in the second of `now` and in the nine before it.
    func sum(_ now: MonotonicInstant) -> (answers: Int, failures: Int) {
        let oldest = Self.second(now) - Int64(Self.seconds) + 1
        return buckets.reduce(into: (0, 0)) { sum, bucket in
            guard bucket.second >= oldest else { return }
            sum.0 += bucket.answers
            sum.1 += bucket.failures
        }
    }

    private static func second(_ now: MonotonicInstant) -> Int64 { max(0, now.nanoseconds / 1_000_000_000) }
}
