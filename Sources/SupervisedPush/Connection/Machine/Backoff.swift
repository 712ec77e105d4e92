import ProcessRuntime

/// The pauses between attempts to connect: min(2ⁿ − 1, ceiling) seconds with n from 1. Up to a fifth of each is
/// subtracted at random, so that many connections do not dial in step.
struct Backoff {
    private let ceiling: Duration
    private var random: SeededGenerator
    private(set) var attempt = 0

    init(ceiling: Duration, seed: UInt64) {
        self.ceiling = ceiling
        random = SeededGenerator(seed: seed)
    }

    /// The next pause.
    mutating func next() -> Duration {
        attempt += 1
        let seconds = (1 << min(attempt, 30)) - 1
        let pause = min(.seconds(seconds), ceiling)
        return pause * (1 - 0.2 * Double.random(in: 0..<1, using: &random))
    }

    /// Starts again after a link that was useful.
    mutating func reset() { attempt = 0 }
}
