import CPushSystem

/// What this machine says about its clock, from the kernel: whether a service such as NTP keeps it right.
enum ClockSync: Sendable, Equatable {
    case synchronized
    /// It may be right nevertheless: in a virtual machine or a container, the host may set it.
    case unsynchronized
    /// The kernel does not tell, for example in a sandbox.
    case unknown

    /// As it is now.
    static var now: ClockSync {
        var state = timex()
        // Without modes it only reads, which needs no privilege.
        guard adjtimex(&state) >= 0 else { return .unknown }
        return state.status & STA_UNSYNC == 0 ? .synchronized : .unsynchronized
    }

    /// A clause about this machine; nil if nothing is known.
    var clause: String? {
        switch self {
        case .synchronized: "is synchronized"
        case .unsynchronized: "is not synchronized"
        case .unknown: nil
        }
    }
}
