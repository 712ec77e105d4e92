/// How many retries a connection may make: a token bucket. Each push that asks for retries pays in a tenth of one, time
/// pays in one a second; it starts with ten and holds a hundred at most.
///
/// So retries add at most a tenth to the load of an APNs that fails, however many pushes fail.
struct RetryBudget {
    /// Counted in tenths of a retry.
    static let price = 10
    static let start = 10 * price
    static let most = 100 * price
    /// In which time a tenth comes by itself.
    static let interval = Duration.milliseconds(100)

    private var balance = start
    private var paidUntil: MonotonicInstant?

    /// A push that asks for retries was answered for the first time.
    mutating func payIn() { balance = min(balance + 1, Self.most) }

    /// Takes a retry out; false if there is none.
    mutating func take(_ now: MonotonicInstant) -> Bool {
        let since = paidUntil ?? now
        let grown = Int(clamping: Int64(since.duration(to: now) / Self.interval))
        if grown > 0 || paidUntil == nil {
            // Only whole intervals count, so that asking often does not lose the rest.
            paidUntil = since.advanced(by: Self.interval * grown)
            balance = min(balance + max(0, min(grown, Self.most)), Self.most)
        }
        guard balance >= Self.price else { return false }
        balance -= Self.price
        return true
    }
}
