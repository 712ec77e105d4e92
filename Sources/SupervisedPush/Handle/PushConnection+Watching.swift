import ProcessRuntime

/// Observing a connection. None of these calls disturbs its process: they read what it published last.
extension PushConnection {
    /// The state of the connection, with its counters since it began.
    ///
    /// The process publishes them at the end of each burst, so a push may have its outcome a moment before it is
    /// counted here.
    public var status: ConnectionStatus {
        let status = destination.status(runtime.now)
        guard let process, destination.pid != process else { return status }
        return status.ended
    }

    /// How full the connection is: pushes in flight, pushes that wait, and how many may wait.
    public var load: ConnectionLoad { destination.load }

    /// The connections of a pool, the oldest first. For a single connection, that connection.
    public var members: [PushConnection] { destination.connections.map { PushConnection(runtime, destination: $0) } }

    /// The last frames and phase changes of the connection, from its live process and from earlier ones.
    ///
    /// The newest entries are also logged: as a warning when a process fails, at level debug when a link breaks while
    /// pushes are in flight.
    ///
    /// - Throws: ``LookupError``: `isPool` for a pool, which has no record of its own. Ask its ``members``.
    public func flightRecord() throws(LookupError) -> FlightRecord {
        guard let entry = try served() as? ConnectionEntry else { throw .isPool(name) }
        return entry.watch.flightRecord()
    }

    /// The provider token that the connection uses now; one is signed if there is none or if it is due for renewal. Nil
    /// with a certificate, with a token source of your own, and while a key has to be loaded.
    ///
    /// Treat it as a secret: with it, anyone can push as you for an hour.
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
    /// Changes how many connections a pool has. New connections start at once. If there are too many, the youngest ones
    /// take no more pushes and finish theirs within a minute; the others take the waiting pushes.
    ///
    /// - Throws: ``ConnectError``: `configuration` for a size out of range, and for a single connection.
    public func resize(to size: ClosedRange<Int>) throws(ConnectError) {
        guard let pool = destination as? PoolEntry else {
            throw ConnectError(
                .configuration, "\(self) is a single connection; only a pool can be resized.")
        }
        try PushRuntime.check(size)
        pool.resize(size)
    }
}
