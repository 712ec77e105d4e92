import ProcessRuntime

/// What the signals ask of a command: the first one to end in order, an insisting one to abandon work under way.
///
/// A signal often arrives twice: `timeout` sends it to the program and to its group, and a wrapper forwards what the
/// terminal has sent to both. So a signal insists only if it arrives some time after the first.
package struct StopSignals: Sendable {
    package enum Request: Equatable, Sendable {
        case drain(StopSignal)
        case leave
    }

    /// The shortest time between the first signal and an insisting one.
    package static let patience = Duration.seconds(1)

    /// The first signal; it determines the exit status.
    package private(set) var first: StopSignal?
    private var insistsFrom = MonotonicInstant.distantFuture
    private var hasLeft = false

    package init() {}

    /// What a signal asks for; nil if it asks for nothing new.
    package mutating func receive(_ signal: StopSignal, at now: MonotonicInstant) -> Request? {
        guard first != nil else {
            first = signal
            insistsFrom = now.advanced(by: Self.patience)
            return .drain(signal)
        }
        guard now >= insistsFrom, !hasLeft else { return nil }
        hasLeft = true
        return .leave
    }
}
