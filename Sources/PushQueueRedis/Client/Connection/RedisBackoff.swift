import ProcessRuntime

/// How long to wait before the next connection: 100 ms at first, twice as long each time, 5 s at most, or what the owner
/// gives. The second half
/// of each wait is random, so that many workers do not return in the same moment.
struct RedisBackoff: Sendable {
    static let shortest = Duration.milliseconds(100)

    private let longest: Duration
    private var next = shortest
    private var generator: SeededGenerator

    /// - Parameter longest: The longest wait.
    init(seed: UInt64, longest: Duration = .seconds(5)) {
        generator = SeededGenerator(seed: seed)
        self.longest = longest
    }

    mutating func wait() -> Duration {
        let half = (next / 2).saturatedNanoseconds
        next = min(next * 2, longest)
        return .nanoseconds(half + Int64.random(in: 0...half, using: &generator))
    }

    /// A connection worked.
    mutating func reset() { next = Self.shortest }
}
