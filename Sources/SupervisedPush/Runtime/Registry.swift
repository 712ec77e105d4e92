import DequeModule
import ProcessRuntime
import PushLocking

/// The registry: maps names and pids to the connections and pools that they refer to.
///
/// A name has one holder. It stays taken while its process is started again, so that it never leads nowhere. May be used
/// from any thread.
final class Registry: Sendable {
    private struct Place {
        let destination: any Destination
        /// The process under which it is found: the one that serves it, or the last one.
        var pid: ProcessID
        /// Its place in the order in which they were added.
        let number: Int
    }

    private struct State {
        var byProcess: [ProcessID: any Destination] = [:]
        var byChild: [String: Place] = [:]
        var byName = NameTable()
        var children = 0
        var places = 0
        /// How the connections of recently freed names ended.
        var ends = EndedNames()

        func place(of destination: any Destination) -> Place? {
            guard let place = byChild[destination.childID], place.destination === destination else { return nil }
            return place
        }

        /// The process that holds the name.
        func holder(of name: String) -> ProcessID? { byName[name].flatMap { place(of: $0)?.pid } }
    }

    private let state = Locked(State())

    /// The id for the supervisor. Ids are unique, even for connections that use the same name one after the other:
    /// events of the first must not reach the second.
    func newChildID(_ kind: String) -> String {
        let number = state.withLock { state in
            state.children += 1
            return state.children
        }
        return "\(kind)#\(number)"
    }

    /// Claims the name for the first process.
    func add(_ destination: any Destination, pid: ProcessID) throws(NameTaken) {
        try state.withLock { (state) throws(NameTaken) in
            if let name = destination.registeredName {
                if let holder = state.holder(of: name) { throw NameTaken(name: name, holder: holder) }
                state.byName[name] = destination
                state.ends.forget(name)
            }
            state.byProcess[pid] = destination
            state.places += 1
            state.byChild[destination.childID] = Place(destination: destination, pid: pid, number: state.places)
        }
    }

    /// Passes the name to the next process. The name is never free in between. False if the name was freed before.
    func pass(_ destination: any Destination, to pid: ProcessID) -> Bool {
        state.withLock { state in
            guard let place = state.place(of: destination) else { return false }
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
                state.byName[name] = nil
                if let end { state.ends.add(name, end: end) }
            }
            state.byProcess[place.pid] = nil
            state.byChild[destination.childID] = nil
        }
    }

    /// The process that has the name.
    func pid(of name: String) -> ProcessID? { state.withLock { $0.holder(of: name) } }

    /// Finds the name's connection. A name that passes from process to process always refers to one.
    func destination(named name: String) throws(LookupError) -> any Destination {
        try state.withLock { (state) throws(LookupError) in
            guard let found = state.byName[name] else { throw state.ends[name] ?? .unknownName(name) }
            return found
        }
    }

    /// Where pushes to this name go.
    func entrance(named name: String) throws(LookupError) -> PushEntrance {
        let outbox = try state.withLock { (state) throws(LookupError) in
            guard let outbox = state.byName.outbox(of: name) else { throw state.ends[name] ?? .unknownName(name) }
            return outbox
        }
        return outbox.entrance
    }

    /// What this process serves; throws once the process has ended, even if a successor serves it now.
    func destination(of pid: ProcessID) throws(LookupError) -> any Destination {
        guard let found = state.withLock({ $0.byProcess[pid] }), found.pid == pid else { throw .noProcess(pid) }
        return found
    }

    func destination(ofChild id: String) -> (any Destination)? { state.withLock { $0.byChild[id]?.destination } }

    /// All pools and connections, in the order in which they were added.
    var all: [any Destination] {
        state.withLock { Array($0.byChild.values) }.sorted { $0.number < $1.number }.map(\.destination)
    }

    /// All pools and all connections outside of pools, in the order in which they were added.
    var roots: [any Destination] { all.filter { $0.pool == nil } }

    /// All pools and all connections outside of pools, in no particular order.
    var destinations: [any Destination] {
        state.withLock { state in state.byChild.values.map(\.destination).filter { $0.pool == nil } }
    }

    /// All names, sorted.
    var names: [String] { state.withLock { $0.byName.all }.sorted() }
}

/// The name belongs to another process.
struct NameTaken: Error, Hashable, CustomStringConvertible {
    let name: String
    let holder: ProcessID

    var description: String { "the name \"\(name)\" is taken by process \(holder)" }
}

/// Destinations by name.
private struct NameTable {
    private var destinations: [String: any Destination] = [:]
    /// The name of the latest push: the next one usually has the same, and hashing it would cost 300 instructions.
    ///
    /// The destination is left out: other objects refer to it weakly, which makes each count of its references slow.
    private var latest: (name: String, outbox: Outbox)?

    var all: [String] { Array(destinations.keys) }

    /// Where pushes to this name wait. A name is that of a pool or of a connection outside of pools.
    mutating func outbox(of name: String) -> Outbox? {
        if latest?.name == name { return latest?.outbox }
        guard let outbox = destinations[name]?.outbox else { return nil }
        latest = (name, outbox)
        return outbox
    }

    subscript(name: String) -> (any Destination)? {
        get { destinations[name] }
        set {
            destinations[name] = newValue
            latest = nil
        }
    }
}

/// How the connections of the names freed last ended: at most 1,000 entries.
struct EndedNames {
    static let limit = 1_000

    private var ends: [String: LookupError] = [:]
    /// In the order in which they were freed. A name that was taken again has no entry.
    private var order = Deque<String>()

    subscript(name: String) -> LookupError? { ends[name] }

    mutating func add(_ name: String, end: LookupError) {
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
