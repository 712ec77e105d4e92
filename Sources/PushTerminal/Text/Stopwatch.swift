import ProcessRuntime

/// The time since it was made.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    package init() {}

    package var elapsed: Duration { start.duration(to: .now) }
    package var seconds: Double { elapsed / .seconds(1) }
}
