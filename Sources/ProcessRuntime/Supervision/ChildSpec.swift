/// How a supervisor starts a child, when it restarts it, and how it stops it.
public struct ChildSpec: Sendable {
    /// The child's name within its supervisor.
    public var id: String
    /// Which ends are followed by a restart. By default every one.
    public var restart: RestartPolicy
    /// How often and how soon. By default three in 60 seconds, after 0, 1 and 2 seconds.
    public var intensity: RestartIntensity
    /// How long the child has at the supervisor's shutdown, before it is killed. By default 5 seconds.
    public var shutdownDeadline: Duration
    /// Asked about an end that ``restart`` would follow by a restart: false makes it final. By default always true.
    /// Also asked about a restart that failed, as `.failure` with the error that ``start`` threw.
    public var restarts: @Sendable (ExitReason) -> Bool
    /// Spawns the process. Runs on the caller's thread for ``Supervisor/add(_:)``, on the supervisor's queue for a
    /// restart; must not block. What it throws at a restart counts as one more end of the child.
    public var start: @Sendable () throws -> ProcessID

    /// A spec with the defaults of its properties.
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
