/// Starts the processes of connections, under the runtime's supervisor.
struct ConnectionStarter: Sendable {
    let system: ProcessSystem
    let directory: Directory
    let supervisor: Supervisor
    let environment: ConnectionEnvironment

    /// Starts the connection's first process and has it supervised.
    func supervise(_ entry: ConnectionEntry) throws(ConnectError) -> ProcessID {
        let spec = ChildSpec(
            id: entry.childID, restart: entry.restart, intensity: entry.config.restartIntensity,
            restarts: { [weak entry] reason in entry?.survives(reason) ?? false }
        ) { [system, directory, environment] in try Self.spawn(entry, system, directory, environment) }
        do { return try supervisor.add(spec) } catch {
            // It began, and has ended already: its owner hears of that as of any later end.
            if case SupervisorError.released = error, let pid = entry.latestPid { return pid }
            entry.finish(givingUp: false)
            if let name = entry.registeredName {
                let holder = (error as? NameTaken)?.holder ?? directory.pid(of: name)
                // Another one may have the child already, and not yet the name.
                var isTaken = holder != nil
                if case SupervisorError.childExists = error { isTaken = true }
                if isTaken { throw .nameTaken(name, by: holder) }
            }
            throw ConnectError(.configuration, "The connection's process could not be started: \(error)")
        }
    }

    /// Spawns a process for the connection: the first one, which claims the name, or a successor, which takes it over.
    private static func spawn(
        _ entry: ConnectionEntry, _ system: ProcessSystem, _ directory: Directory, _ environment: ConnectionEnvironment
    ) throws -> ProcessID {
        // Whoever finds the pid may end the process: by then its connection must know it, or nobody hears of that end.
        try system.spawn(label: entry.childID) {
            ConnectionProcess(entry, environment)
        } introducing: { process in
            if entry.latestPid == nil {
                try directory.add(entry, process.pid)
            } else if !directory.pass(entry, to: process.pid) {
                throw NoProcess(process.pid)
            }
            guard entry.processBegan(process) else { throw NoProcess(process.pid) }
        }.pid
    }
}
