/// A child as its supervisor sees it.
public struct ChildStatus: Sendable, Hashable {
    /// What the child is doing.
    public enum Phase: Sendable, Hashable {
        /// Its `start` runs at this moment.
        case starting
        /// It lives, as far as the supervisor has heard.
        case running
        /// It ended and waits for its restart.
        case waiting
        /// It was asked to shut down, or killed.
        case stopping
    }

    /// The child's name within its supervisor.
    public let id: String
    /// Its process; while it is ``Phase/starting`` again or ``Phase/waiting``, the one that ended last.
    public let pid: ProcessID?
    /// What it is doing.
    public let phase: Phase
    /// How it is restarted.
    public let restart: RestartPolicy
    /// How many restarts its window held at its last end.
    public let recentRestarts: Int
}
