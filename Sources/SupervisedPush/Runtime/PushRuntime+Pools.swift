/// Pools: several connections under one name.
extension PushRuntime {
    /// Starts a pool of connections to one endpoint, with one credential, and returns at once.
    ///
    /// Its name and its pid work in every call that takes a connection's. Its connections take pushes from one queue, each as many as
    /// it has streams free, so that callers notice nothing of a single connection's fault. The pool grows while it is used to four fifths, and shrinks when half
    /// of it has been idle for half a minute. Its connections are restarted like named ones; one that fails again and again
    /// is replaced after a pause.
    ///
    /// A credential that APNs refuses suspends the whole pool, and one push tries it for all. With `ordered: .perDevice` the pushes of
    /// a device keep their order whichever connections take them, also while the pool is resized. A push that is called by the pid of
    /// one of its connections waits for that one, as long as its process lives.
    ///
    /// - Parameters:
    ///   - name: how the pool is called from now on.
    ///   - size: how many connections it has at least and at most; 1 to 10,000.
    ///   - config: as for `connect(name:config:owner:)`. Its bounds hold times the number of connections.
    ///   - owner: hears the lifecycle messages of all connections, and gets fire-and-forget pushes handed back.
    /// - Returns: The pool.
    /// - Throws: ``ConnectError``, as `connect(name:config:owner:)`, and for a size out of range.
    @discardableResult
    public func startPool(
        name: String, size: ClosedRange<Int>, config: ConnectionConfig, owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> PushConnection {
        guard !name.isEmpty else { throw ConnectError(.configuration, "A pool's name must not be empty.") }
        try Self.check(size)
        if let holder = directory.pid(of: name) { throw .nameTaken(name, by: holder) }
        guard !isShutDown else { throw .shutDown() }
        let config = try settled(config)
        let pool = makePool(name, size, config, try credentialReader.resolve(config), owner)
        _ = try starter.supervise(pool)
        guard !isShutDown else {
            pool.close(by: now)
            throw .shutDown()
        }
        pool.followOwner()
        watchCredential(of: pool)
        return PushConnection(self, pool)
    }

    /// Starts a pool of fixed size; see `startPool(name:size:config:owner:)`.
    @discardableResult
    public func startPool(
        name: String, size: Int, config: ConnectionConfig, owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> PushConnection {
        try Self.check(min(size, 1)...max(size, 1))
        return try startPool(name: name, size: size...size, config: config, owner: owner)
    }

    static func check(_ size: ClosedRange<Int>) throws(ConnectError) {
        guard size.lowerBound >= 1, size.upperBound <= 10_000 else {
            throw ConnectError(
                .configuration, "A pool has 1 to 10,000 connections, not \(size.lowerBound) to \(size.upperBound).")
        }
    }

    private func makePool(
        _ name: String, _ size: ClosedRange<Int>, _ config: ConnectionConfig, _ credential: ResolvedCredential,
        _ owner: Mailbox<LifecycleMessage>?
    ) -> PoolEntry {
        let (directory, budget, time, hooks) = (directory, budget, system.time, endHooks)
        let seed = starter.environment.seed(ProcessID(0))
        return PoolEntry(
            name: name, childID: directory.newChildID("pool:\(name)"), size: size, config: config,
            credential: credential,
            owner: owner, budget: budget, seed: seed, time: time,
            hooks: hooks,
            makeMember: { pool, number in
                ConnectionEntry(
                    name: name, childID: directory.newChildID("pool:\(name)/\(number)"), config: config,
                    credential: pool.credentials.current, owner: nil, budget: budget, time: time, pool: pool,
                    memberNumber: number,
                    hooks: hooks)
            })
    }
}
