import PushQueue

/// What one Sentinel says, and the server that it names.
package struct RedisSentinelFact: Sendable {
    /// Where the Sentinel is.
    package let place: RedisNode
    /// The address of the primary that it names, which answers as one; or why not.
    package let primary: Result<String, QueueError>

    package init(_ place: RedisNode, primary: Result<String, QueueError>) {
        (self.place, self.primary) = (place, primary)
    }
}

extension RedisQueue {
    /// Where the connection's server is; nil if the queue has a client of another kind, or none has connected.
    var serverAddress: String? { (commands as? RedisConnection)?.session?.address }

    /// Asks each Sentinel by itself, and connects to the primary that it names. In the order of the address; empty
    /// without Sentinels.
    func examineSentinels() async -> [RedisSentinelFact] {
        guard let configuration = (commands as? RedisConnection)?.configuration,
            let sentinels = configuration.address.sentinels
        else { return [] }
        return await withTaskGroup(of: (Int, RedisSentinelFact).self) { group in
            for (index, node) in sentinels.nodes.enumerated() {
                var one = configuration
                one.address.sentinels?.nodes = [node]
                group.addTask { [one] in (index, RedisSentinelFact(node, primary: await Self.primary(of: one))) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func primary(of configuration: RedisConnection.Configuration) async -> Result<String, QueueError> {
        do throws(QueueError) {
            let connection = try RedisConnection(configuration)
            _ = try await connection.execute([RedisCommand("PING")])
            let address = connection.session?.address ?? ""
            await connection.close()
            return .success(address)
        } catch { return .failure(error) }
    }
}
