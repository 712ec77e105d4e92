import PushQueue

extension RedisQueue {
    /// What follows a call that replicas must have; nothing if none must.
    ///
    /// `WAIT` waits for the last write of its own connection. A call that is repeated on a new connection finds nothing
    /// to do, and would be told that all replicas have it. So the script then raises the number `waits`: in the script,
    /// because a server without memory refuses the same command outside.
    var replication: [RedisCommand] {
        guard configuration.replicas > 0 else { return [] }
        let limit = Int(min(max(1, configuration.replicaTimeout / .milliseconds(1)), 86_400_000))
        return [RedisCommand("WAIT", "\(configuration.replicas)", "\(limit)")]
    }

    /// - Parameter replies: Those of ``replication``.
    /// - Throws: `unreachable` if fewer replicas have the call.
    func checkReplicas(_ replies: [RedisReply]) throws(QueueError) {
        guard let last = replies.last else { return }
        if case .error(let text) = last { throw QueueError(redisError: text) }
        let count = last.number ?? 0
        guard count < configuration.replicas else { return }
        throw QueueError(
            .unreachable,
            "\(count) of \(configuration.replicas) replicas have acknowledged the call within \(configuration.replicaTimeout). It "
                + "has happened on the server, and a failover may lose it. Check the replicas; the call can be repeated."
        )
    }
}
