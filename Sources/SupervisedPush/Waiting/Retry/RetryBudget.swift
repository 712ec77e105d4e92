import ProcessRuntime

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
