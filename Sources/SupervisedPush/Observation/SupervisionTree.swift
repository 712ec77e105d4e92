import ProcessRuntime

/// The supervisor of a runtime with its children at one moment. Print it for a live view.
public struct SupervisionTree: Sendable, Encodable, CustomStringConvertible {
    /// A supervised connection.
    public struct Child: Sendable, Encodable {
        /// Its id for the supervisor: `connection:orders#1`, `anonymous#2`, or for a pool's connection `pool:bulk/3#7`.
        /// The number at the end is unique in a runtime, so an id is never used twice.
        public let id: String
        /// What the supervisor is doing with it: `starting`, `running`, `waiting` (for its restart) or `stopping`.
        public let state: String
        /// Restarts within the period of the restart intensity.
        public let recentRestarts: Int
        /// The state of the connection.
        public let status: ConnectionStatus
    }

    /// The connections, in the order in which they were made.
    public let children: [Child]

    /// A line for the supervisor, and one for each child.
    public var description: String {
        let lines = children.indices.map { index in
            let child = children[index]
            let branch = index == children.indices.last ? "└─" : "├─"
            let restarts = child.status.counters.restarts
            return "\(branch) \(child.state) \(child.status)" + (restarts == 0 ? "" : ", restarted \(restarts)×")
        }
        let noun = children.count == 1 ? "connection" : "connections"
        return (["supervisor, \(children.count) \(noun)"] + lines).joined(separator: "\n")
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
