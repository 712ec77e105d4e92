/// The state of a child as its supervisor knows it.
public struct ChildStatus: Sendable, Hashable {
    /// What the child is doing.
    @nonexhaustive public enum Phase: Sendable, Hashable {
        /// Its `start` is running.
        case starting
        /// It runs, as far as the supervisor knows.
        case running
        /// It ended and waits for its restart.
        case waiting
        /// It was asked to shut down, or killed.
        case stopping
    }

    /// The child's name within its supervisor.
    public let id: String
    /// Its process. In the phase ``Phase/waiting``, and in ``Phase/starting`` during a restart, the process that ended
    /// last.
    public let pid: ProcessID?
    /// What it is doing.
    public let phase: Phase
    /// When it is restarted.
    public let restart: RestartPolicy
    /// How many restarts were in its window at its last end.
    public let recentRestarts: Int
}
