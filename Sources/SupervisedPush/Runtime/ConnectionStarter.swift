import ProcessRuntime

/// Starts the processes of connections and pools, under the runtime's supervisor.
struct ConnectionStarter: Sendable {
    let system: ProcessSystem
    let directory: Directory
    let supervisor: Supervisor
    let environment: ConnectionEnvironment

    /// Starts the first process and has it supervised.
    func supervise<D: Destination>(_ destination: D) throws(ConnectError) -> ProcessID {
        let spec = ChildSpec(
            id: destination.childID, restart: destination.restart, intensity: destination.restartIntensity,
            restarts: { [weak destination] reason in destination?.restarts(after: reason) ?? false }
        ) { [self] in try spawn(destination) }
        do { return try supervisor.add(spec) } catch {
            // It began, and has ended already: its owner hears of that as of any later end.
            if case SupervisorError.released = error, let pid = destination.latestPid { return pid }
            destination.startFailed()
            if let name = destination.registeredName {
                let holder = (error as? NameTaken)?.holder ?? directory.pid(of: name)
                if holder != nil { throw .nameTaken(name, by: holder) }
            }
            throw ConnectError(.configuration, "The process \(destination.childID) could not be started: \(error)")
        }
    }

    /// Spawns a process: the first one, which claims the name, or a successor, which takes it over.
    private func spawn<D: Destination>(_ destination: D) throws -> ProcessID {
        // Whoever finds the pid may end the process: by then its destination must know it, or nobody hears of that end.
        try system.spawn(label: destination.childID) {
            destination.makeProcess(self)
        } introducing: { process in
            let isFirst = destination.latestPid == nil
            if isFirst {
                try directory.add(destination, process.pid)
            } else if !directory.pass(destination, to: process.pid) {
                throw NoProcess(process.pid)
            }
            guard destination.processBegan(process) else {
                // It ended before it could be found, and was forgotten then.
                if isFirst { directory.remove(destination) }
                throw NoProcess(process.pid)
            }
        }.pid
    }
}
