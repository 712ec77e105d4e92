import ProcessRuntime

/// The supervisor of a runtime with its children, as they are at one moment: print it for a live view.
public struct SupervisionTree: Sendable, Encodable, CustomStringConvertible {
    /// A supervised connection.
    public struct Child: Sendable, Encodable {
        /// What the supervisor calls it: `connection:orders#1`, `anonymous#2`, or of a pool's connection
        /// `pool:bulk/3#7`. The number at the end differs for every connection of a runtime, so that an id is never
        /// used twice.
        public let id: String
        /// What the supervisor is doing with it: `starting`, `running`, `waiting` (for its restart) or `stopping`.
        public let state: String
        /// Restarts in the window that may be exceeded.
        public let recentRestarts: Int
        /// How it stands.
        public let status: ConnectionStatus
    }

    /// The connections, in the order in which they were made.
    public let children: [Child]

    /// A line for the supervisor and one for each child.
    public var description: String {
        let lines = children.indices.map { index in
            let child = children[index]
            let branch = index == children.indices.last ? "└─" : "├─"
            let restarts = child.status.counters.restarts
            return "\(branch) \(child.state) \(child.status)" + (restarts == 0 ? "" : ", restarted \(restarts)×")
        }
        return (["supervisor, \(children.count) connections"] + lines).joined(separator: "\n")
    }
}

extension SupervisionTree.Child {
    init(_ child: ChildStatus, _ status: ConnectionStatus) {
        id = child.id
        state =
            switch child.phase {
            case .starting: "starting"
            case .running: "running"
            case .waiting: "waiting"
            case .stopping: "stopping"
            }
        recentRestarts = child.recentRestarts
        self.status = status
    }
}
