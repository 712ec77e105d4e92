/// Stops the retries of a connection while APNs fails altogether: it opens after twenty answers 500 or 503 in a row, for
/// 30 s. Any other answer closes it; after the 30 s, one more 500 or 503 opens it again.
struct RetryBreaker {
    static let run = 20
    static let pause = Duration.seconds(30)

    private var failures = 0
    private var opensUntil: MonotonicInstant?

    /// An answer came.
    mutating func note(status: Int, _ now: MonotonicInstant) {
        guard status == 500 || status == 503 else {
            failures = 0
            opensUntil = nil
            return
        }
        failures = min(failures + 1, Self.run)
        if failures == Self.run, !isOpen(now) { opensUntil = now.advanced(by: Self.pause) }
    }

    /// True while no retry is to be made.
    func isOpen(_ now: MonotonicInstant) -> Bool { opensUntil.map { now < $0 } ?? false }
}
