import ProcessRuntime

/// How long to wait before the next connection: 100 ms at first, twice as long each time. The second half
/// of each wait is random, so that many workers do not return in the same moment.
struct RedisBackoff: Sendable {
    static let shortest = Duration.milliseconds(100)

    private var next = shortest
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// - Parameter longest: The longest wait.
    mutating func wait(atMost longest: Duration) -> Duration {
        next = min(next, longest)
        let half = (next / 2).saturatedNanoseconds
        next *= 2
        return .nanoseconds(half + Int64.random(in: 0...half, using: &generator))
    }

    /// A connection worked.
    mutating func reset() { next = Self.shortest }
}
