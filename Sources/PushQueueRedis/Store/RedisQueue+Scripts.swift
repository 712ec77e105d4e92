import PushLocking
import PushQueue

extension RedisQueue {
    /// Runs a script with the queue's keys.
    ///
    /// - Throws: `lost` if the queue was there and is gone; then it was made again. Other errors of the server: see
    ///   ``QueueError/init(redisError:of:)``.
    ///
    /// - Parameter following: Commands that are sent right behind the script. Their replies are returned if the script
    ///   has no error.
    func run(
        _ script: StoreScript, with arguments: [[UInt8]], then following: [RedisCommand]
    ) async throws(QueueError) -> (RedisReply, [RedisReply]) {
        func call() async throws(QueueError) -> (RedisReply, [RedisReply]) {
            try await commands.run(script.script, keys: keys.all, arguments: arguments, then: following)
        }
        var answer = try await call()
        if answer.0.isNoGroup, !state.withLock({ $0.hasSeenGroup }) {
            // No worker has opened the queue yet. What producers put in is there.
            try await makeGroup()
            answer = try await call()
        }
        guard case .error(let text) = answer.0 else { return answer }
        guard answer.0.isNoGroup else { throw QueueError(redisError: text) }
        try await makeGroup()
        // What workers had is gone, or is taken again by any of them.
        state.withLock { state in
            state.memory.forgetHeld()
            state.hasLostQueue = false
        }
        throw Self.lostQueue
    }

    static var lostQueue: QueueError {
        QueueError(
            .lost,
            "The queue is not on the server any more, for example after FLUSHALL, or after a restart without an "
                + "append-only file. It was made again. What was in it is lost; put it in again if you have it.")
    }

    /// Runs a script with the queue's keys.
    func run(_ script: StoreScript, with arguments: [[UInt8]]) async throws(QueueError) -> RedisReply {
        try await run(script, with: arguments, then: []).0
    }

    /// Runs a script whose arguments are texts.
    func run(_ script: StoreScript, texts: [String]) async throws(QueueError) -> RedisReply {
        try await run(script, with: texts.map { Array($0.utf8) })
    }

    /// Makes the stream and its group if they do not exist. If they had been there, the next ``catchUp()`` tells so.
    func makeGroup() async throws(QueueError) {
        let reply = try await commands.run(StoreScript.group.script, keys: keys.all)
        if case .error(let text) = reply { throw QueueError(redisError: text) }
        state.withLock { state in
            if state.hasSeenGroup, reply.number == 1 { state.hasLostQueue = true }
            state.hasSeenGroup = true
        }
    }
}

extension RedisReply {
    /// The stream or its consumer group does not exist.
    fileprivate var isNoGroup: Bool {
        guard case .error(let text) = self else { return false }
        return RedisErrorCode(text).word == "NOGROUP"
    }
}
