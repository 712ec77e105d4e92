import ProcessRuntime

/// The supervisor of a runtime with its pools and connections at one moment. Print it, or see `pushctl top` for a live
/// view.
///
/// The supervisor is the parent of the pools and of the connections outside of pools; a pool is the parent of its
/// connections. The supervisor restarts what fails, in a pool, too. A pool decides how many connections it has.
///
/// A value: it does not change, and any thread may use it. ``PushRuntime/supervisionTreeChanges`` follows the tree.
public struct SupervisionTree: Sendable, Codable, CustomStringConvertible {
    /// A supervised connection.
    public struct Child: Sendable, Codable {
        /// Its id for the supervisor: `connection:orders#1`, `anonymous#2`, or for a pool's connection `pool:bulk/3#7`.
        /// The number at the end is unique in a runtime, so an id is never used twice.
        public let id: String
        /// The ``Pool/id`` of its pool; nil if the supervisor is its parent.
        public let parent: String?
        /// Its number in its pool, from 1; nil outside of pools. A connection that replaces another has another number.
        public let member: Int?
        /// What the supervisor is doing with it: `starting`, `running`, `waiting` (for its restart) or `stopping`.
        /// `closing` if the supervisor has released it: it is not restarted, and finishes its pushes.
        public let state: String
        /// Restarts within the period of the restart intensity.
        public let recentRestarts: Int
        /// The state of the connection.
        public let status: ConnectionStatus
    }

    /// A pool.
    public struct Pool: Sendable, Codable {
        /// Its id for the supervisor, which is the ``Child/parent`` of its connections: `pool:bulk#1`.
        public let id: String
        /// What the supervisor is doing with its process, as in ``Child/state``.
        public let state: String
        /// Restarts of its process within the period of the restart intensity.
        public let recentRestarts: Int
        /// The state of the pool: the sums over its connections, those that have ended included in the counters.
        public let status: ConnectionStatus
    }

    /// The pools, in the order in which they were made.
    public let pools: [Pool]
    /// The connections, those of pools included, in the order in which they were made.
    public let children: [Child]

    /// The connections of this pool, or those outside of pools.
    ///
    /// - Parameter parent: The pool's id; nil for the supervisor.
    public func children(of parent: String?) -> [Child] { children.filter { $0.parent == parent } }

    /// A line for the supervisor, and one for each pool and connection.
    public var description: String {
        let noun = children.count == 1 ? "connection" : "connections"
        let places = pools.isEmpty ? "" : ", \(pools.count) \(pools.count == 1 ? "pool" : "pools")"
        let members = Dictionary(grouping: children.lazy.filter { $0.parent != nil }) { $0.parent }
        var blocks = children(of: nil).map { child in
            Block(line: Self.line(child.state, status: child.status), inner: [])
        }
        blocks += pools.map { pool in
            let inner = (members[pool.id] ?? []).map { Self.line($0.state, status: $0.status, member: $0.member) }
            return Block(line: "pool " + Self.line(pool.state, status: pool.status), inner: inner)
        }
        return (["supervisor, \(children.count) \(noun)\(places)"] + Block.lines(blocks)).joined(separator: "\n")
    }

    private static func line(_ state: String, status: ConnectionStatus, member: Int? = nil) -> String {
        let restarts = status.counters.restarts
        return "\(state) \(status.text(member: member))" + (restarts == 0 ? "" : ", restarted \(restarts)×")
    }
}

/// A line of the tree, and those below it.
private struct Block {
    let line: String
    let inner: [String]

    static func lines(_ blocks: [Block]) -> [String] {
        blocks.indices.flatMap { index in
            let isLast = index == blocks.indices.last
            let inner = blocks[index].inner.enumerated().map { place, line in
                "\(isLast ? "   " : "│  ")\(place == blocks[index].inner.count - 1 ? "└─" : "├─") \(line)"
            }
            return ["\(isLast ? "└─" : "├─") \(blocks[index].line)"] + inner
        }
    }
}

/// Reads the supervision tree, without keeping the runtime alive.
struct TreeReader: Sendable {
    let supervisor: Supervisor
    let registry: Registry
    let time: any TimeSource

    /// The tree now. It costs the processes nothing: they have published what it says.
    var tree: SupervisionTree {
        let now = time.now
        let supervised = Dictionary(supervisor.children().map { ($0.id, $0) }) { first, _ in first }
        let destinations = registry.all
        var pools: [SupervisionTree.Pool] = []
        // Read together with their pool, so that they add up.
        var members: [ObjectIdentifier: ConnectionStatus] = [:]
        for pool in destinations.lazy.compactMap({ $0 as? PoolEntry }) {
            let reading = pool.reading(now)
            for (entry, status) in reading.members { members[ObjectIdentifier(entry)] = status }
            pools.append(SupervisionTree.Pool(pool, supervised: supervised[pool.childID], status: reading.status))
        }
        let children = destinations.lazy.compactMap { $0 as? ConnectionEntry }.map { entry in
            let status = members[ObjectIdentifier(entry)] ?? entry.status(now)
            return SupervisionTree.Child(entry, supervised: supervised[entry.childID], status: status)
        }
        return SupervisionTree(pools: pools, children: Array(children))
    }
}

extension SupervisionTree.Pool {
    fileprivate init(_ pool: PoolEntry, supervised: ChildStatus?, status: ConnectionStatus) {
        self.init(
            id: pool.childID, state: .init(supervised), recentRestarts: supervised?.recentRestarts ?? 0, status: status)
    }
}

extension SupervisionTree.Child {
    fileprivate init(_ entry: ConnectionEntry, supervised: ChildStatus?, status: ConnectionStatus) {
        self.init(
            id: entry.childID, parent: entry.pool?.childID, member: entry.pool.map { _ in entry.memberNumber },
            state: .init(supervised), recentRestarts: supervised?.recentRestarts ?? 0, status: status)
    }
}

extension String {
    /// What a supervisor is doing with a child, in a word.
    fileprivate init(_ supervised: ChildStatus?) {
        self =
            switch supervised?.phase {
            case .starting: "starting"
            case .running: "running"
            case .waiting: "waiting"
            case .stopping: "stopping"
            // The supervisor has released it.
            case nil: "closing"
            }
    }
}
