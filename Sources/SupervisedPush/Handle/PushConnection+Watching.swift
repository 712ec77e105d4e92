import ProcessRuntime

/// Looking at a connection. None of these calls disturbs its process: they read what it published last.
extension PushConnection {
    /// Where the connection stands, with what it has counted since it began.
    ///
    /// Published at the end of each burst of the process: a push may have its outcome a moment before it is counted here.
    public var status: ConnectionStatus {
        let status = destination.status(runtime.now)
        guard let process, destination.pid != process else { return status }
        return status.ended
    }

    /// How full the connection is: in flight, waiting, and how many may wait.
    public var load: ConnectionLoad { destination.load }

    /// The connections of a pool, the oldest first; of a single connection, that one alone.
    public var members: [PushConnection] { destination.connections.map { PushConnection(runtime, $0) } }

    /// The last frames and phase changes of the connection: of its live process and of those before it.
    ///
    /// The newest entries are also logged by themselves: as a warning when a process fails, at level debug when a link breaks under
    /// pushes in flight.
    ///
    /// - Throws: ``LookupError``: `isPool` for a pool, which keeps no record of its own: ask its ``members``.
    public func flightRecord() throws(LookupError) -> FlightRecord {
        guard let entry = try served() as? ConnectionEntry else { throw .isPool(name) }
        return entry.watch.flightRecord()
    }

    /// The provider token that the connection uses now, signed if there is none or it is due; nil with a certificate, with a token source
    /// of your own, and while a key has to be loaded.
    ///
    /// Handle it as a secret: whoever has it can push in your name for an hour.
    ///
    /// - Throws: ``ConnectError``: `credential` if the token cannot be signed.
    public func providerToken() throws(ConnectError) -> ProviderToken? {
        guard let tokens = destination.credentials.current.authority else { return nil }
        do { return try tokens.providerToken(runtime.now) } catch {
            throw ConnectError(.credential, "The provider token could not be signed: \(error)")
        }
    }
}

extension PushConnection {
    /// Changes how many connections a pool has. New ones are started at once; those that are too many, the youngest first, get no more
    /// pushes, and finish what they have within a minute. What waits, the others take.
    ///
    /// - Throws: ``ConnectError``: `configuration` for a size out of range, and for a single connection.
    public func resize(to size: ClosedRange<Int>) throws(ConnectError) {
        guard let pool = destination as? PoolEntry else {
            throw ConnectError(
                .configuration, "\(self) is a single connection: only what startPool started has a size.")
        }
        try PushRuntime.check(size)
        pool.resize(size)
    }
}
