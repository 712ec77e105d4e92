/// Looking at connections. None of these calls disturbs a connection's process: they read what it published last.
extension PushRuntime {
    /// Where the connection stands, with what it has counted since its name began.
    ///
    /// Published at the end of each burst of the process: a push may have its outcome a moment before it is counted here.
    ///
    /// - Throws: ``PushError`` if there is no such connection.
    public func status(name: String) throws(PushError) -> ConnectionStatus {
        try directory.destination(.name(name)).status(now)
    }

    /// Where the connection of this pid stands; see `status(name:)`.
    public func status(_ pid: ProcessID) throws(PushError) -> ConnectionStatus {
        try directory.destination(.pid(pid)).status(now)
    }

    /// The supervisor with all its connections, and how each stands.
    public var supervisionTree: SupervisionTree {
        SupervisionTree(
            children: supervisor.children().compactMap { child in
                // Of pools, the connections are shown.
                (directory.destination(ofChild: child.id) as? ConnectionEntry)
                    .map { SupervisionTree.Child(child, $0.status(now)) }
            })
    }

    /// The last frames and phase changes of the connection: of its live process and of those before it.
    ///
    /// The newest entries are also logged by themselves: as a warning when a process fails, at level debug when a link
    /// breaks under pushes in flight.
    ///
    /// A pool keeps no record of its own: ask its connections, by the pids that `members(name:)` gives.
    ///
    /// - Throws: ``PushError``: `unknownName`, or `invalidRequest` for the name of a pool.
    public func flightRecord(name: String) throws(PushError) -> FlightRecord {
        try directory.connection(.name(name)).watch.flightRecord()
    }

    /// The last frames and phase changes of the connection of this pid; see `flightRecord(name:)`.
    ///
    /// - Throws: ``PushError``: `noProcess`, or `invalidRequest` for the pid of a pool.
    public func flightRecord(_ pid: ProcessID) throws(PushError) -> FlightRecord {
        try directory.connection(.pid(pid)).watch.flightRecord()
    }
}
