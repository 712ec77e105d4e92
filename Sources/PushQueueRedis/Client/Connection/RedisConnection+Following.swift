import ProcessRuntime
import PushQueue

extension RedisConnection {
    /// Sends commands, and those that a node of a cluster refused because another node has their keys, to that node.
    ///
    /// The connection itself goes to the node that MOVED names. ASK is for one command: that node gets it on a connection
    /// of its own.
    func follow(_ commands: [RedisCommand], by deadline: MonotonicInstant) async throws(QueueError) -> [RedisReply] {
        var replies = try await send(commands, by: deadline)
        for _ in 0..<RedisRedirection.limit {
            let following = RedisFollowing(commands, replies, from: configuration.address.node)
            if following.isEmpty { return replies }
            if !following.moved.isEmpty {
                let again = try await send(following.moved.map { commands[$0] }, by: deadline)
                for (index, reply) in zip(following.moved, again) { replies[index] = reply }
            }
            if let node = following.askedNode {
                following.put(try await detour(to: node, following.asking(commands), by: deadline), into: &replies)
            }
        }
        guard RedisFollowing(commands, replies, from: configuration.address.node).isEmpty else {
            throw QueueError(
                .unreachable,
                "The nodes of the cluster at \(configuration) name one another for a key, \(RedisRedirection.limit) times. "
                    + "Its slot may be on its way to another node: try again, and check CLUSTER NODES.")
        }
        return replies
    }

    private func detour(
        to node: RedisNode, _ commands: [RedisCommand], by deadline: MonotonicInstant
    ) async throws(QueueError) -> [RedisReply] {
        var other = configuration.reaching(.server(node))
        // It would lead back.
        other.routingKey = nil
        let connection = try RedisConnection(other, system: system, connector: connector) { _ in }
        return try await connection.send(commands, by: deadline)
    }
}
