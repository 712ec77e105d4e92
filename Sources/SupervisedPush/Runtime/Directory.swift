import DequeModule
import ProcessRuntime
import PushLocking

/// Finds connections and pools: by name through the registry, by pid, and by the id their supervisor knows them by.
final class Directory: Sendable {
    private struct Place {
        let destination: any Destination
        /// By which process it is found, and the registry has its name: the one that serves it, or the last one that did.
        var pid: ProcessID
    }

    private struct State {
        var byProcess: [ProcessID: any Destination] = [:]
        var byChild: [String: Place] = [:]
        /// What the registry's names lead to, found with one look where a push would take two.
        var byName: [String: any Destination] = [:]
        var children = 0
        /// How the connections of the latest names that were freed ended.
        var ends = EndedNames()

        func place(of destination: any Destination) -> Place? {
            guard let place = byChild[destination.childID], place.destination === destination else { return nil }
            return place
        }
    }

    private let registry = Registry()
    private let state = Locked(State())

    /// What the supervisor calls a connection or a pool. No two have the same id, not even one after the other under one name: what is
    /// told of the first must not reach the second.
    func newChildID(_ kind: String) -> String {
        let number = state.withLock { state in
            state.children += 1
            return state.children
        }
        return "\(kind)#\(number)"
    }

    /// Claims the name for the first process.
    func add(_ destination: any Destination, _ pid: ProcessID) throws(NameTaken) {
        try state.withLock { (state) throws(NameTaken) in
            if let name = destination.registeredName {
                try registry.register(name, pid)
                state.byName[name] = destination
                state.ends.forget(name)
            }
            state.byProcess[pid] = destination
            state.byChild[destination.childID] = Place(destination: destination, pid: pid)
        }
    }

    /// Passes the name on to a successor of the process; there is no moment at which it is free. False if it was freed before.
    func pass(_ destination: any Destination, to pid: ProcessID) -> Bool {
        state.withLock { state in
            guard let place = state.place(of: destination) else { return false }
            if let name = destination.registeredName { registry.rebind(name, to: pid, expecting: place.pid) }
            state.byProcess[place.pid] = nil
            state.byProcess[pid] = destination
            state.byChild[destination.childID]?.pid = pid
            return true
        }
    }

    /// Frees the name.
    func remove(_ destination: any Destination) {
        let end = destination.end == nil ? nil : LookupError(ended: destination)
        state.withLock { state in
            guard let place = state.place(of: destination) else { return }
            if let name = destination.registeredName {
                registry.unregister(name, expecting: place.pid)
                state.byName[name] = nil
                if let end { state.ends.note(name, end) }
            }
            state.byProcess[place.pid] = nil
            state.byChild[destination.childID] = nil
        }
    }

    func pid(of name: String) -> ProcessID? { registry.pid(of: name) }

    /// A name that is passed on from process to process leads somewhere at every moment.
    func destination(named name: String) throws(LookupError) -> any Destination {
        let (found, end) = state.withLock { state in
            let found = state.byName[name]
            return (found, found == nil ? state.ends[name] : nil)
        }
        guard let found else { throw end ?? .unknownName(name) }
        return found
    }

    /// What this process serves; an error once the process has ended, even if a successor serves it now.
    func destination(of pid: ProcessID) throws(LookupError) -> any Destination {
        guard let found = state.withLock({ $0.byProcess[pid] }), found.pid == pid else { throw .noProcess(pid) }
        return found
    }

    func destination(ofChild id: String) -> (any Destination)? { state.withLock { $0.byChild[id]?.destination } }

    /// Every connection that belongs to no pool, and every pool, in no particular order.
    var destinations: [any Destination] {
        state.withLock { state in state.byChild.values.map(\.destination).filter { $0.pool == nil } }
    }

    var names: [String] { registry.names }
}

/// How the connections of the names that were freed last ended: at most 1,000 of them.
struct EndedNames {
    static let limit = 1_000

    private var ends: [String: LookupError] = [:]
    /// In the order in which they were freed; a name that was taken again since has no end here.
    private var order = Deque<String>()

    subscript(name: String) -> LookupError? { ends[name] }

    mutating func note(_ name: String, _ end: LookupError) {
        forget(name)
        ends[name] = end
        order.append(name)
        if order.count > Self.limit { ends[order.removeFirst()] = nil }
    }

    mutating func forget(_ name: String) {
        guard ends.removeValue(forKey: name) != nil else { return }
        order.removeAll { $0 == name }
    }
}
