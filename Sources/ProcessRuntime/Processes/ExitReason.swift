/// Why a process ended, or is asked to.
public enum ExitReason: Sendable, CustomStringConvertible {
    /// It had done its work.
    case normal
    /// Somebody who was entitled to asked it to stop.
    case shutdown
    /// Our own fault: its behavior threw, or found that something that must hold does not.
    case failure(any Error)
    /// It was killed without being asked.
    case killed

    /// Whether the end was nobody's wish: ``failure(_:)`` and ``killed``. These restart a transient child.
    public var isAbnormal: Bool {
        switch self {
        case .normal, .shutdown: false
        case .failure, .killed: true
        }
    }

    /// The reason in a word, with the error of a failure.
    public var description: String {
        switch self {
        case .normal: "normal"
        case .shutdown: "shutdown"
        case .failure(let error): "failure(\(error))"
        case .killed: "killed"
        }
    }
}
