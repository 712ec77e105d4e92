import Locking

/// Finds connections: by name through the registry, by pid, and by the id their supervisor knows them by.
final class Directory: Sendable {
    private struct State {
        var byProcess: [ProcessID: ConnectionEntry] = [:]
        var byChild: [String: ConnectionEntry] = [:]
        var anonymous = 0
    }

    private let registry = Registry()
    private let state = Locked(State())

    /// What the supervisor calls a connection.
    func newChildID(_ name: String?) -> String {
        if let name { return "connection:\(name)" }
        return state.withLock { state in
            state.anonymous += 1
            return "anonymous:\(state.anonymous)"
        }
    }

    /// Binds a connection to its process: the first one, which claims the name, or a successor, which takes it over.
    func bind(_ entry: ConnectionEntry, to pid: ProcessID, after predecessor: ProcessID?) throws(NameTaken) {
        if let name = entry.name {
            if let predecessor {
                registry.rebind(name, to: pid, expecting: predecessor)
            } else {
                try registry.register(name, pid)
            }
        }
        state.withLock { state in
            if let predecessor { state.byProcess[predecessor] = nil }
            state.byProcess[pid] = entry
            state.byChild[entry.childID] = entry
        }
    }

    /// Frees the connection's name and forgets it.
    func remove(_ entry: ConnectionEntry) {
        guard let pid = entry.latestPid else { return }
        if let name = entry.name { registry.unregister(name, expecting: pid) }
        state.withLock { state in
            state.byProcess[pid] = nil
            if state.byChild[entry.childID] === entry { state.byChild[entry.childID] = nil }
        }
    }

    func pid(of name: String) -> ProcessID? { registry.pid(of: name) }

    func entry(named name: String) -> ConnectionEntry? {
        guard let pid = registry.pid(of: name) else { return nil }
        return state.withLock { $0.byProcess[pid] }
    }

    /// The connection that this process serves; nil once the process has ended, even if a successor serves it now.
    func entry(of pid: ProcessID) -> ConnectionEntry? {
        guard let entry = state.withLock({ $0.byProcess[pid] }), entry.pid == pid else { return nil }
        return entry
    }

    func entry(ofChild id: String) -> ConnectionEntry? { state.withLock { $0.byChild[id] } }

    /// Every connection, in no particular order.
    var all: [ConnectionEntry] { state.withLock { Array($0.byProcess.values) } }

    var names: [String] { registry.names }
}
