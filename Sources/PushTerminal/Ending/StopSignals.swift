import Dispatch
import Glibc
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

/// The signals that ask a command to end cleanly.
package enum StopSignal: Sendable, CaseIterable {
    case interrupt
    case terminate
    /// The terminal is gone, for example after a lost ssh session.
    case hangUp

    package var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    package var status: ExitStatus {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        case .hangUp: .hungUp
        }
    }

    package var name: String {
        switch self {
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        case .hangUp: "SIGHUP"
        }
    }

    /// The signals that this program handles. `nohup` makes a program ignore SIGHUP, and it then continues to ignore
    /// it.
    package static func takenHere() -> [StopSignal] {
        allCases.filter { $0 != .hangUp || !SignalSources.isIgnored($0.number) }
    }
}

/// What a command prints when it was asked to end and waits for work under way.
package enum StopNotice {
    /// - Parameters:
    ///   - underWay: How many.
    ///   - what: The name of one, such as `push`.
    ///   - drain: How long they may take.
    ///   - rest: What becomes of those that have not ended then, after "leaves it" or "leaves them".
    /// - Returns: Nil if the command does not wait.
    package static func line(
        _ signal: StopSignal, underWay count: Int, what: String = "push", drain: Duration,
        rest: String = "as unknown"
    ) -> String? {
        guard count > 0, drain > .zero else { return nil }
        let seconds = drain / .seconds(1)
        let time = seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
        let plural = what.hasSuffix("sh") ? "\(what)es" : "\(what)s"
        let again = signal == .interrupt ? "Ctrl-C once more" : "another signal"
        return "pushctl: stopping: \(Figures.grouped(count)) \(count == 1 ? what : plural) under way,"
            + " up to \(time) s; \(again) after a second leaves"
            + " \(count == 1 ? "it" : "them") \(rest)"
    }
}
