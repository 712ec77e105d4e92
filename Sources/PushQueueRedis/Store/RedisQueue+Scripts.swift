import PushLocking
import PushQueue

extension RedisQueue {
    /// Runs a script with the queue's keys.
    ///
    /// - Throws: `lost` if the queue was there and is gone; then it was made again. Other errors of the server: see
    ///   ``QueueError/init(redisError:of:)``.
    func run(_ script: StoreScript, _ arguments: [[UInt8]]) async throws(QueueError) -> RedisReply {
        var reply = try await commands.run(script.script, keys: keys.all, arguments: arguments)
        if reply.isNoGroup, !state.withLock({ $0.hasSeenGroup }) {
            // No worker has opened the queue yet. What producers put in is there.
            try await makeGroup()
            reply = try await commands.run(script.script, keys: keys.all, arguments: arguments)
        }
        guard case .error(let text) = reply else { return reply }
        guard reply.isNoGroup else { throw QueueError(redisError: text) }
        try await makeGroup()
        throw QueueError(
            .lost,
            "The queue is not on the server any more, for example after FLUSHALL. It was made again. What was in it is "
                + "lost; put it in again if you have it.")
    }

    /// Runs a script whose arguments are texts.
    func run(_ script: StoreScript, texts: [String]) async throws(QueueError) -> RedisReply {
        try await run(script, texts.map { Array($0.utf8) })
    }

    /// Makes the stream and its group if they do not exist.
    func makeGroup() async throws(QueueError) {
        let reply = try await commands.run(StoreScript.group.script, keys: keys.all)
        if case .error(let text) = reply { throw QueueError(redisError: text) }
        state.withLock { $0.hasSeenGroup = true }
    }
}

extension RedisReply {
    /// The stream or its consumer group does not exist.
    fileprivate var isNoGroup: Bool {
        guard case .error(let text) = self else { return false }
        return RedisErrorCode(text).word == "NOGROUP"
    }
}
