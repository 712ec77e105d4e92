/// Why a process ended, or is asked to end.
@nonexhaustive public enum ExitReason: Sendable, CustomStringConvertible {
    /// It finished its work.
    case normal
    /// Its supervisor or owner asked it to stop.
    case shutdown
    /// It failed: its behavior threw an error, or found a broken invariant.
    case failure(any Error)
    /// It was killed without being asked.
    case killed

    /// Whether the process failed or was killed. An abnormal end restarts a transient child.
    public var isAbnormal: Bool {
        switch self {
        case .normal, .shutdown: false
        case .failure, .killed: true
        }
    }

    /// The reason in one word, with the error of a failure.
    public var description: String {
        switch self {
        case .normal: "normal"
        case .shutdown: "shutdown"
        case .failure(let error): "failure(\(error))"
        case .killed: "killed"
        }
    }
}
