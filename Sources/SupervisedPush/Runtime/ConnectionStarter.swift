import ProcessRuntime

/// Starts the processes of connections and pools, under the runtime's supervisor.
struct ConnectionStarter: Sendable {
    let system: ProcessSystem
    let registry: Registry
    let supervisor: Supervisor
    let environment: ConnectionEnvironment
    let treeSignal: TreeSignal
    let board: EventBoard

    /// Starts the first process under supervision.
    func supervise<D: Destination>(_ destination: D) throws(ConnectError) -> ProcessID {
        _ = destination.hub.watch { [treeSignal] in treeSignal.changed() }
        defer { treeSignal.changed() }
        let spec = ChildSpec(
            id: destination.childID, restart: destination.restart, intensity: destination.restartIntensity,
            restarts: { [weak destination] reason in destination?.restarts(after: reason) ?? false }
        ) { [self] in try spawn(destination) }
        do { return try supervisor.add(spec) } catch {
            // The process began and has already ended: the owner learns of this as of any later end.
            if case SupervisorError.released = error, let pid = destination.latestPid { return pid }
            destination.startFailed()
            if let name = destination.registeredName {
                let holder = (error as? NameTaken)?.holder ?? registry.pid(of: name)
                if holder != nil { throw .nameTaken(name, by: holder) }
            }
            throw ConnectError(.configuration, "The process \(destination.childID) could not be started: \(error)")
        }
    }

    /// Spawns a process: the first one claims the name, a successor takes it over.
    private func spawn<D: Destination>(_ destination: D) throws -> ProcessID {
        // Once the pid can be found, another thread may end the process. The destination must know the process by then,
        // or it would miss that end.
        try system.spawn(label: destination.childID) {
            destination.makeProcess(self)
        } introducing: { process in
            let isFirst = destination.latestPid == nil
            if isFirst {
                try registry.add(destination, pid: process.pid)
                if destination.pool == nil { board.introduce(destination.hub) }
            } else if !registry.pass(destination, to: process.pid) {
                throw NoProcess(process.pid)
            }
            guard destination.processBegan(process) else {
                // It ended before it could be found, and its entry was removed then.
                if isFirst { registry.remove(destination) }
                throw NoProcess(process.pid)
            }
        }.pid
    }
}
