import Dispatch
import Glibc

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
