import Foundation
import PushLocking

/// A real cluster: three nodes, each with a third of the slots, and a replica of one of them if that is wanted. It ends
/// with its last reference.
///
/// Its nodes are patient until a test kills one with ``kill(_:replacedBy:)``: one that gets no processor time for a while stays in.
package final class RedisCluster: Sendable {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package let nodes: [RedisServer]
    private let replica = Locked<RedisServer?>(nil)

    /// After how many milliseconds without an answer a node is gone for another one. A handshake may take as long.
    private static let patience = 15_000

    package init() async throws {
        nodes = try (0..<3).map { _ in try Self.node() }
        let places = nodes.map { "127.0.0.1:\($0.port)" }
        let made = try RedisProgram.run(["--cluster", "create"] + places + ["--cluster-yes"])
        guard made.contains("All 16384 slots covered") else { throw Failed(description: made) }
        for node in nodes {
            try await wait("the cluster is complete") { try info(of: node).contains("cluster_state:ok") }
        }
    }

    private static func node() throws -> RedisServer {
        var options = RedisServer.Options()
        options.appendOnly = true
        // The replica follows its node whatever it lacks, so that a failover takes place at once.
        options.more = [
            "--cluster-enabled", "yes", "--cluster-node-timeout", "\(patience)",
            "--cluster-replica-validity-factor", "0",
        ]
        return try RedisServer(options)
    }

    /// Waits until something is so; the nodes tell one another, and no client.
    private func wait(_ what: String, _ isSo: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            if try isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failed(description: "It did not come about that \(what).")
    }

    private func ask(_ node: RedisServer, _ words: String...) throws -> String {
        try RedisProgram.run(["-p", "\(node.port)"] + words).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func info(of node: RedisServer) throws -> String { try ask(node, "CLUSTER", "INFO") }

    /// The node that has a key.
    package func owner(of key: String) throws -> RedisServer {
        let slot = Int(try ask(nodes[0], "CLUSTER", "KEYSLOT", key)) ?? 0
        return nodes[slot < 5_461 ? 0 : slot < 10_923 ? 1 : 2]
    }

    /// A node that does not have a key.
    package func stranger(to key: String) throws -> RedisServer {
        let owner = try owner(of: key)
        guard let other = nodes.first(where: { $0.port != owner.port }) else { throw Failed(description: "No node.") }
        return other
    }

    /// Adds a replica of a node. Returns when it has all that the node has, and each node knows it.
    package func addReplica(of node: RedisServer) async throws -> RedisServer {
        let server = try Self.node()
        replica.withLock { $0 = server }
        let id = try ask(node, "CLUSTER", "MYID")
        try await wait("the replica knows its node") {
            if try ask(server, "CLUSTER", "REPLICATE", id) == "OK" { return true }
            // Again each time: a handshake that takes too long is given up.
            _ = try ask(server, "CLUSTER", "MEET", "127.0.0.1", "\(node.port)")
            return false
        }
        try await wait("the replica has all") {
            try ask(server, "INFO", "replication").contains("master_link_status:up")
        }
        let own = try ask(server, "CLUSTER", "MYID")
        for node in nodes {
            try await wait("each node knows the replica") {
                try ask(node, "CLUSTER", "NODES").split(separator: "\n").contains {
                    $0.hasPrefix(own) && $0.contains("slave \(id)")
                }
            }
        }
        return server
    }

    /// Kills a node, as kill -9 does, whose replica takes its place by what the others decide. Returns when each of them knows that.
    ///
    /// Only until then are they quick to believe that a node is gone.
    package func kill(_ node: RedisServer, replacedBy replica: RedisServer) async throws {
        let others = (nodes + [replica]).filter { $0 !== node }
        let id = try ask(replica, "CLUSTER", "MYID")
        node.kill()
        try await wait("a replica takes the place of its node") {
            try setTimeout(1_000, of: others)
            guard try others.allSatisfy({ try hasPrimary(id, $0) }) else { return false }
            try setTimeout(Self.patience, of: others)
            // They may have believed it of one another meanwhile.
            return try others.allSatisfy { try hasPrimary(id, $0) }
        }
    }

    /// Whether a node of a complete cluster knows a primary by this id.
    private func hasPrimary(_ id: String, _ node: RedisServer) throws -> Bool {
        guard try info(of: node).contains("cluster_state:ok") else { return false }
        return try ask(node, "CLUSTER", "NODES").split(separator: "\n").contains {
            $0.hasPrefix(id) && $0.contains("master") && !$0.contains("fail")
        }
    }

    private func setTimeout(_ milliseconds: Int, of nodes: [RedisServer]) throws {
        for node in nodes {
            let answer = try ask(node, "CONFIG", "SET", "cluster-node-timeout", "\(milliseconds)")
            guard answer == "OK" else { throw Failed(description: answer) }
        }
    }

    /// Begins to move the slot of a key: its node answers ASK for keys that it does not have.
    package func beginToMove(_ key: String, to target: RedisServer) throws {
        let (owner, slot) = (try owner(of: key), try ask(nodes[0], "CLUSTER", "KEYSLOT", key))
        let (from, to) = (try ask(owner, "CLUSTER", "MYID"), try ask(target, "CLUSTER", "MYID"))
        _ = try ask(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", from)
        _ = try ask(owner, "CLUSTER", "SETSLOT", slot, "MIGRATING", to)
    }

    /// Moves all keys of the slot.
    package func moveKeys(_ key: String, to target: RedisServer) throws {
        let (owner, slot) = (try owner(of: key), try ask(nodes[0], "CLUSTER", "KEYSLOT", key))
        let keys = try ask(owner, "CLUSTER", "GETKEYSINSLOT", slot, "1000").split(separator: "\n").map(String.init)
        guard !keys.isEmpty else { return }
        let words = ["-p", "\(owner.port)", "MIGRATE", "127.0.0.1", "\(target.port)", "", "0", "60000", "KEYS"]
        let answer = try RedisProgram.run(words + keys)
        guard answer.hasPrefix("OK") else { throw Failed(description: answer) }
    }

    /// Ends the move: from now on the nodes answer MOVED.
    package func endMove(_ key: String, to target: RedisServer) throws {
        let (slot, to) = (try ask(nodes[0], "CLUSTER", "KEYSLOT", key), try ask(target, "CLUSTER", "MYID"))
        // The target first, so that no moment lacks a node for the slot.
        for node in [target] + nodes where node.port != target.port || node === target {
            _ = try ask(node, "CLUSTER", "SETSLOT", slot, "NODE", to)
        }
    }
}
