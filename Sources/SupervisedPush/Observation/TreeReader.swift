import ProcessRuntime

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
