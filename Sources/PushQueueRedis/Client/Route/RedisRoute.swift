import PushQueue

/// Decides where a connection goes next: to the server of the address; or to the Sentinels, one after the other, and to
/// the server that one of them names; or to the node of a cluster that another one names.
struct RedisRoute: Sendable {
    private let place: String
    /// No more nodes of a cluster are remembered.
    private static let nodeLimit = 16

    /// The server of the address.
    private let server: RedisNode
    /// Where the next attempt goes, and then the others: the server of the address, and nodes of its cluster.
    private var nodes: [RedisNode]
    /// How often nodes named another one in this attempt.
    private var redirections = 0
    /// In the order in which they are asked: the one that answered last is the first.
    private var sentinels: [RedisNode]
    /// Why those that were asked in this attempt did not name a primary, in their order.
    private var failures: [RedisFailure] = []

    init(_ address: RedisServerAddress) {
        place = address.description
        server = address.node
        nodes = [server]
        sentinels = address.sentinels?.nodes ?? []
    }

    /// Whether a server that is no primary must not get calls: it was named, and another one will be.
    var wantsPrimary: Bool { !sentinels.isEmpty }

    /// Whether other servers are known, so that it is worth while to try again soon.
    var knowsOthers: Bool { wantsPrimary || nodes.count > 1 }

    /// A new attempt.
    mutating func begin() -> RedisTarget {
        failures = []
        redirections = 0
        return sentinels.first.map { .sentinel($0) } ?? .server(nodes.first ?? server)
    }

    /// The Sentinel that was asked has named the primary.
    mutating func named(_ primary: RedisNode) -> RedisTarget {
        sentinels.insert(sentinels.remove(at: failures.count), at: 0)
        return .server(primary)
    }

    /// The Sentinel that was asked has named none.
    ///
    /// - Returns: The next one; nil if all were asked.
    mutating func sentinelFailed(_ failure: RedisFailure) -> RedisTarget? {
        failures.append(failure)
        return failures.count < sentinels.count ? .sentinel(sentinels[failures.count]) : nil
    }

    /// A node of a cluster has named the one that has the key. It is remembered.
    ///
    /// - Returns: Nil if nodes have named one another too often in this attempt.
    mutating func moved(to node: RedisNode) -> RedisTarget? {
        redirections += 1
        guard redirections <= RedisRedirection.limit else { return nil }
        nodes.removeAll { $0 == node }
        nodes.insert(node, at: 0)
        forgetSome()
        return .server(node)
    }

    /// A session with a server has begun.
    ///
    /// - Parameter replicas: Those of a node of a cluster: one of them may take its place.
    mutating func connected(replicas: [RedisNode]) {
        redirections = 0
        nodes += replicas.filter { !nodes.contains($0) }
        forgetSome()
    }

    /// The server does not serve. The Sentinel that named it may not know of a failover yet, or a replica may take the
    /// place of a node: another one is the first in the next attempt.
    mutating func serverFailed() {
        if sentinels.count > 1 { sentinels.append(sentinels.removeFirst()) }
        if nodes.count > 1 { nodes.append(nodes.removeFirst()) }
    }

    /// The address itself stays: a name may lead to any node.
    private mutating func forgetSome() {
        while nodes.count > Self.nodeLimit, let last = nodes.lastIndex(where: { $0 != server }) {
            nodes.remove(at: last)
        }
    }

    /// Why no Sentinel named a primary. Another attempt ends the same way only if each of them refused.
    var noPrimary: RedisFailure {
        RedisFailure(
            failures.allSatisfy { $0.code == .refused } ? .refused : .unreachable,
            "No Sentinel of \(place) says where its primary is. " + failures.map(\.description).joined(separator: " "))
    }
}
