import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The two signals that ask a command to end cleanly.
package enum StopSignal: Sendable, CaseIterable {
    case interrupt
    case terminate

    package var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        }
    }

    package var status: ExitStatus {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        }
    }

    package var name: String {
        switch self {
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        }
    }
}
