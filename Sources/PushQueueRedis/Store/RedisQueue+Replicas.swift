import PushQueue

extension RedisQueue {
    /// What follows a call that replicas must have; nothing if none must.
    ///
    /// `WAIT` waits for the last write of its own connection. A call that is repeated on a new connection may write
    /// nothing, and would be told that all replicas have it. So a write comes before it.
    var replication: [RedisCommand] {
        guard options.replicas > 0 else { return [] }
        let limit = Int(min(max(1, options.replicaTimeout / .milliseconds(1)), 86_400_000))
        return [
            RedisCommand(words: [Array("HINCRBY".utf8), keys.counts, Array("waits".utf8), Array("1".utf8)]),
            RedisCommand("WAIT", "\(options.replicas)", "\(limit)"),
        ]
    }

    /// - Parameter replies: Those of ``replication``.
    /// - Throws: `unreachable` if fewer replicas have the call.
    func checkReplicas(_ replies: [RedisReply]) throws(QueueError) {
        guard let last = replies.last else { return }
        for case .error(let text) in replies where RedisErrorCode(text).word != "OOM" {
            throw QueueError(redisError: text)
        }
        let count = last.number ?? 0
        guard count < options.replicas else { return }
        throw QueueError(
            .unreachable,
            "\(count) of \(options.replicas) replicas have acknowledged the call within \(options.replicaTimeout). It "
                + "has happened on the server, and a failover may lose it. Check the replicas; the call can be repeated."
        )
    }
}
