/// Starts the processes of pools.
extension ConnectionStarter {
    /// Starts the pool's process, which starts its connections.
    func supervise(_ pool: PoolEntry) throws(ConnectError) -> ProcessID {
        let spec = ChildSpec(
            id: pool.childID, restart: .permanent,
            restarts: { [weak pool] _ in pool.map { !$0.isFinishing } ?? false }
        ) { [self] in try spawn(pool) }
        do { return try supervisor.add(spec) } catch {
            if case SupervisorError.released = error, let pid = pool.latestPid { return pid }
            for member in pool.members { member.finish(givingUp: false) }
            pool.finish(givingUp: false)
            let holder = (error as? NameTaken)?.holder ?? directory.pid(of: pool.name)
            if holder != nil { throw .nameTaken(pool.name, by: holder) }
            throw ConnectError(.configuration, "The pool's process could not be started: \(error)")
        }
    }

    private func spawn(_ pool: PoolEntry) throws -> ProcessID {
        try system.spawn(label: pool.childID) {
            PoolProcess(pool) { [self] member in _ = try supervise(member) }
        } introducing: { process in
            if pool.latestPid == nil {
                try directory.add(pool, process.pid)
            } else if !directory.pass(pool, to: process.pid) {
                throw NoProcess(process.pid)
            }
            guard pool.processBegan(process) else { throw NoProcess(process.pid) }
        }.pid
    }
}
