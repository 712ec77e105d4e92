import ProcessRuntime

/// The time since it was made.
struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    var elapsed: Duration { start.duration(to: .now) }
    var seconds: Double { elapsed / .seconds(1) }
}
