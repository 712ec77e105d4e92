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
        var pools: [ProcessID: PoolEntry] = [:]
        /// What the registry's names lead to, found with one look where a push would take two.
        var byName: [String: Destination] = [:]
        var connections = 0

        func destination(_ pid: ProcessID) -> Destination? {
            byProcess[pid].map { .connection($0) } ?? pools[pid].map { .pool($0) }
        }

        func pid(of pool: PoolEntry) -> ProcessID? { pools.first { $0.value === pool }?.key }
    }

    private let registry = Registry()
    private let state = Locked(State())

    /// What the supervisor calls a connection. No two have the same id, not even one after the other under one name: what is
    /// told of the first must not reach the second.
    func newChildID(_ kind: String) -> String {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        return "\(kind)#\(number)"
    }

    /// Claims the connection's name for its first process.
    func add(_ entry: ConnectionEntry, _ pid: ProcessID) throws(NameTaken) {
        try state.withLock { (state) throws(NameTaken) in
            if let name = entry.registeredName {
                try registry.register(name, pid)
                state.byName[name] = .connection(entry)
            }
            state.byProcess[pid] = entry
            state.byChild[entry.childID] = Place(entry: entry, pid: pid)
        }
    }

    /// Passes the connection on to a successor; there is no moment at which its name is free. False if the connection was
    /// removed.
    func pass(_ entry: ConnectionEntry, to pid: ProcessID) -> Bool {
        state.withLock { state in
            guard let place = state.byChild[entry.childID], place.entry === entry else { return false }
            if let name = entry.registeredName { registry.rebind(name, to: pid, expecting: place.pid) }
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
            if let name = entry.registeredName {
                registry.unregister(name, expecting: place.pid)
                state.byName[name] = nil
            }
            state.byProcess[place.pid] = nil
            state.byChild[entry.childID] = nil
        }
    }

    func pid(of name: String) -> ProcessID? { registry.pid(of: name) }

    func destination(named name: String) -> Destination? {
        // A name that is passed on from process to process leads somewhere at every moment.
        state.withLock { $0.byName[name] }
    }

    /// What this process serves; nil once the process has ended, even if a successor serves it now.
    func destination(of pid: ProcessID) -> Destination? {
        guard let found = state.withLock({ $0.destination(pid) }), found.pid == pid else { return nil }
        return found
    }

    func entry(ofChild id: String) -> ConnectionEntry? { state.withLock { $0.byChild[id]?.entry } }

    // MARK: Pools

    /// Claims the pool's name for its first process.
    func add(_ pool: PoolEntry, _ pid: ProcessID) throws(NameTaken) {
        try state.withLock { (state) throws(NameTaken) in
            try registry.register(pool.name, pid)
            state.pools[pid] = pool
            state.byName[pool.name] = .pool(pool)
        }
    }

    /// Passes the pool on to a successor of its process; false if it was removed.
    func pass(_ pool: PoolEntry, to pid: ProcessID) -> Bool {
        state.withLock { state in
            guard let old = state.pid(of: pool) else { return false }
            registry.rebind(pool.name, to: pid, expecting: old)
            state.pools[old] = nil
            state.pools[pid] = pool
            return true
        }
    }

    /// Frees the pool's name and forgets it.
    func remove(_ pool: PoolEntry) {
        state.withLock { state in
            guard let pid = state.pid(of: pool) else { return }
            registry.unregister(pool.name, expecting: pid)
            state.pools[pid] = nil
            state.byName[pool.name] = nil
        }
    }

    var pools: [PoolEntry] { state.withLock { Array($0.pools.values) } }

    // MARK: All

    /// Every connection that belongs to no pool, and every pool, in no particular order.
    var destinations: [Destination] {
        state.withLock { state in
            state.byChild.values.filter { $0.entry.pool == nil }.map { .connection($0.entry) }
                + state.pools.values.map { .pool($0) }
        }
    }

    var names: [String] { registry.names }
}
