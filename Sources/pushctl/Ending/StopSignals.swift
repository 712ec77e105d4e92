import ProcessRuntime
import SupervisedPush

/// What the signals that arrive ask of a command: the first to end in order, one that insists to leave what is under
/// way.
///
/// A signal often comes twice: `timeout` sends it to the program and to its group, a wrapper forwards what the terminal
/// has sent to both. So a signal insists only if it comes a while after the first.
package struct StopSignals: Sendable {
    package enum Request: Equatable, Sendable {
        case drain(StopSignal)
        case leave
    }

    /// The least time from the first signal to one that insists.
    package static let patience = Duration.seconds(1)

    /// The signal that came first; it gives the exit status.
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
