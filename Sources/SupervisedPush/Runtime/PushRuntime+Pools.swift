/// Pools: several connections under one name.
extension PushRuntime {
    /// Starts a pool of connections to one endpoint, with one credential, and returns at once.
    ///
    /// Every call that takes a connection's name or pid accepts the pool's. Its connections take pushes from one queue,
    /// each as many as it has free streams, so callers do not notice the failure of a single connection. The pool grows
    /// while four fifths of its streams are in use, and shrinks once half of it has been idle for half a minute. Its
    /// connections are restarted like named ones; a connection that fails again and again is replaced after a pause.
    ///
    /// If APNs refuses the credential, the whole pool is suspended, and one push probes the credential for all
    /// connections. With `ordered: .perDevice`, the pushes to a device keep their order whichever connections take
    /// them, also while the pool is resized. A push to the pid of one of its connections waits for that connection, as
    /// long as its process lives.
    ///
    /// - Parameters:
    ///   - name: The name of the pool.
    ///   - size: The fewest and the most connections it has; 1 to 10,000.
    ///   - config: As for `connect(name:config:owner:)`. Its limits apply once per connection.
    ///   - owner: Receives the lifecycle messages of all connections, and fire-and-forget pushes handed back.
    /// - Returns: The pool.
    /// - Throws: ``ConnectError``, as `connect(name:config:owner:)`, and for a size out of range.
    @discardableResult
    public func connect(
        name: String, size: ClosedRange<Int>, config: PushConnection.Configuration,
        owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> PushConnection {
        guard !name.isEmpty else { throw ConnectError(.configuration, "A pool's name must not be empty.") }
        try Self.check(size)
        if let holder = registry.pid(of: name) { throw .nameTaken(name, by: holder) }
        guard !isShutDown else { throw .shutDown() }
        let config = try validated(config)
        let pool = makePool(
            name, size: size, config: config, credential: try credentialReader.resolve(config), owner: owner)
        _ = try starter.supervise(pool)
        guard !isShutDown else {
            pool.close(by: now)
            throw .shutDown()
        }
        pool.followOwner()
        watchCredential(of: pool)
        return PushConnection(self, destination: pool)
    }

    /// Starts a pool of fixed size; see `connect(name:size:config:owner:)`.
    @discardableResult
    public func connect(
        name: String, size: Int, config: PushConnection.Configuration, owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> PushConnection {
        try Self.check(min(size, 1)...max(size, 1))
        return try connect(name: name, size: size...size, config: config, owner: owner)
    }

    static func check(_ size: ClosedRange<Int>) throws(ConnectError) {
        guard size.lowerBound >= 1, size.upperBound <= 10_000 else {
            throw ConnectError(
                .configuration, "A pool has 1 to 10,000 connections, not \(size.lowerBound) to \(size.upperBound).")
        }
    }

    private func makePool(
        _ name: String, size: ClosedRange<Int>, config: PushConnection.Configuration,
        credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?
    ) -> PoolEntry {
        let (registry, budget, time, hooks) = (registry, budget, system.time, endHooks)
        let seed = starter.environment.seed(ProcessID(0))
        return PoolEntry(
            name: name, childID: registry.newChildID("pool:\(name)"), size: size, config: config,
            credential: credential,
            owner: owner, budget: budget, seed: seed, time: time,
            hooks: hooks,
            makeMember: { pool, number in
                ConnectionEntry(
                    name: name, childID: registry.newChildID("pool:\(name)/\(number)"), config: config,
                    credential: pool.credentials.current, owner: nil, budget: budget, time: time, pool: pool,
                    memberNumber: number,
                    hooks: hooks)
            })
    }
}
