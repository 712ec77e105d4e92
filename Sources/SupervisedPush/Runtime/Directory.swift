import Locking

/// Finds connections: by name through the registry, by pid, and by the id their supervisor knows them by.
final class Directory: Sendable {
    private struct Place {
        let entry: ConnectionEntry
        /// The process that serves it, or the last one that did.
        var pid: ProcessID
    }

    private struct State {
        var byProcess: [ProcessID: ConnectionEntry] = [:]
        var byChild: [String: Place] = [:]
        var connections = 0
    }

    private let registry = Registry()
    private let state = Locked(State())

    /// What the supervisor calls a connection. No two have the same id, not even one after the other under one name: what is
    /// told of the first must not reach the second.
    func newChildID(_ name: String?) -> String {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        return "\(name.map { "connection:\($0)" } ?? "anonymous")#\(number)"
    }

    /// Claims the connection's name for its first process.
    func add(_ entry: ConnectionEntry, _ pid: ProcessID) throws(NameTaken) {
        try state.withLock { (state) throws(NameTaken) in
            if let name = entry.name { try registry.register(name, pid) }
            state.byProcess[pid] = entry
            state.byChild[entry.childID] = Place(entry: entry, pid: pid)
        }
    }

    /// Passes the connection on to a successor; there is no moment at which its name is free. False if the connection was
    /// removed.
    func pass(_ entry: ConnectionEntry, to pid: ProcessID) -> Bool {
        state.withLock { state in
            guard let place = state.byChild[entry.childID], place.entry === entry else { return false }
            if let name = entry.name { registry.rebind(name, to: pid, expecting: place.pid) }
            state.byProcess[place.pid] = nil
            state.byProcess[pid] = entry
            state.byChild[entry.childID]?.pid = pid
            return true
        }
    }

    /// Frees the connection's name and forgets it.
    func remove(_ entry: ConnectionEntry) {
        state.withLock { state in
            guard let place = state.byChild[entry.childID], place.entry === entry else { return }
            if let name = entry.name { registry.unregister(name, expecting: place.pid) }
            state.byProcess[place.pid] = nil
            state.byChild[entry.childID] = nil
        }
    }

    func pid(of name: String) -> ProcessID? { registry.pid(of: name) }

    func entry(named name: String) -> ConnectionEntry? {
        // Both looks under one lock: a name that is being passed on leads somewhere at every moment.
        state.withLock { state in registry.pid(of: name).flatMap { state.byProcess[$0] } }
    }

    /// The connection that this process serves; nil once the process has ended, even if a successor serves it now.
    func entry(of pid: ProcessID) -> ConnectionEntry? {
        guard let entry = state.withLock({ $0.byProcess[pid] }), entry.pid == pid else { return nil }
        return entry
    }

    func entry(ofChild id: String) -> ConnectionEntry? { state.withLock { $0.byChild[id]?.entry } }

    /// Every connection, in no particular order.
    var all: [ConnectionEntry] { state.withLock { $0.byChild.values.map(\.entry) } }

    var names: [String] { registry.names }
}
