import ProcessRuntime

/// Decides whether a process that a push woke lets the callers run before it writes.
///
/// The first push of many wakes the process. On a core that both share, the kernel may then switch to the process at once, which
/// writes this one push, sleeps, and is woken by the next: at 95 % of full load, up to a tenth of the time. So a process that took a
/// batch a moment ago, and now finds only a few pushes, gives up its turn once and looks again. A single push does not wait.
struct CallersTurn {
    /// A batch: callers that push as many probably push on.
    static let batch = 64
    /// Fewer pushes are not worth a write while more are expected.
    static let few = 16
    /// How long more are expected after a batch.
    static let expectation = Duration.milliseconds(2)

    private var expectsUntil = MonotonicInstant(nanoseconds: .min)
    private var isWoken = false

    /// A push woke the process.
    mutating func woken() { isWoken = true }

    /// The process took pushes.
    ///
    /// - Returns: Whether to give up the turn, then take more. At most once for each wake-up.
    mutating func took(_ count: Int, _ now: MonotonicInstant) -> Bool {
        defer { isWoken = false }
        if count >= Self.batch { expectsUntil = now.advanced(by: Self.expectation) }
        return isWoken && (1..<Self.few).contains(count) && now < expectsUntil
    }
}
