import Dispatch
import Glibc

/// The signals that ask a command to end cleanly.
enum StopSignal: Sendable, CaseIterable {
    case interrupt
    case terminate
    /// The terminal is gone, for example after a lost ssh session.
    case hangUp

    var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }

    var status: ExitStatus {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        case .hangUp: .hungUp
        }
    }

    var name: String {
        switch self {
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        case .hangUp: "SIGHUP"
        }
    }

    /// The signals that this program handles. `nohup` makes a program ignore SIGHUP, and it then continues to ignore
    /// it.
    static func takenHere() -> [StopSignal] { allCases.filter { $0 != .hangUp || !$0.isIgnored } }

    private var isIgnored: Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = action.__sigaction_handler.sa_handler
        // Handlers can't be compared; the one that ignores is a number.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
