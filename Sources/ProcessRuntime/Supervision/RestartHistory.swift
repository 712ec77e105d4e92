/// The restarts of one child that its window still holds.
package struct RestartHistory: Sendable {
    private let intensity: RestartIntensity
    private var restarts: [MonotonicInstant] = []

    package init(_ intensity: RestartIntensity) {
        self.intensity = intensity
    }

    /// Records a restart and returns how long it waits; nil means that the limit is reached: give the child up.
    package mutating func recordRestart(at now: MonotonicInstant) -> Duration? {
        restarts.removeAll { $0.duration(to: now) > intensity.period }
        guard restarts.count < intensity.limit else { return nil }
        restarts.append(now)
        return intensity.delay(ofRestart: restarts.count)
    }

    /// How many restarts the window held when it was last looked at.
    package var count: Int { restarts.count }
}
