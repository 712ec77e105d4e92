/// How a supervisor starts, restarts and stops a child.
public struct ChildSpec: Sendable {
    /// The child's name within its supervisor.
    public var id: String
    /// When to restart the child. By default after every end.
    public var restart: RestartPolicy
    /// How many restarts are allowed, and their delays. By default three in 60 seconds, after 0, 1 and 2 seconds.
    public var intensity: RestartIntensity
    /// How long the child has to end at the supervisor's shutdown before it is killed. By default 5 seconds.
    public var shutdownDeadline: Duration
    /// Called before a restart that ``restart`` allows; false makes the end final. The default returns true. Also
    /// called if a restart failed, with `.failure` and the error that ``start`` threw.
    public var restarts: @Sendable (ExitReason) -> Bool
    /// Spawns the process. Runs on the caller's thread in ``Supervisor/add(_:)`` and on the supervisor's queue for a
    /// restart. Must not block. If it throws during a restart, that counts as another end of the child.
    public var start: @Sendable () throws -> ProcessID

    /// Creates a spec. The defaults are those of the properties.
    public init(
        id: String, restart: RestartPolicy = .permanent, intensity: RestartIntensity = .standard,
        shutdownDeadline: Duration = .seconds(5), restarts: @escaping @Sendable (ExitReason) -> Bool = { _ in true },
        start: @escaping @Sendable () throws -> ProcessID
    ) {
        self.id = id
        self.restart = restart
        self.intensity = intensity
        self.shutdownDeadline = shutdownDeadline
        self.restarts = restarts
        self.start = start
    }
}

/// When a supervisor restarts a child.
public enum RestartPolicy: Sendable, Hashable {
    /// After every end.
    case permanent
    /// After an abnormal end: `failure` or `killed`.
    case transient
    /// Never.
    case temporary

    /// Whether a child that ended for `reason` is restarted.
    public func restarts(after reason: ExitReason) -> Bool {
        switch self {
        case .permanent: true
        case .transient: reason.isAbnormal
        case .temporary: false
        }
    }
}

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
