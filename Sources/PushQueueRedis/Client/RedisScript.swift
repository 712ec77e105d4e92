import PushLocking
import PushQueue

/// A Lua script of the server. It is sent once; after that its hash is enough.
///
/// A script can be used by any number of connections and servers at once.
public final class RedisScript: Sendable {
    /// Its text.
    public let source: String
    private let hash = Locked<[UInt8]?>(nil)

    /// Makes a script of its text.
    public init(_ source: String) { self.source = source }

    fileprivate var knownHash: [UInt8]? { hash.withLock { $0 } }

    fileprivate var load: RedisCommand { RedisCommand("SCRIPT", "LOAD", source) }

    fileprivate func call(_ hash: [UInt8], keys: [[UInt8]], arguments: [[UInt8]]) -> RedisCommand {
        RedisCommand(words: [Array("EVALSHA".utf8), hash, Array("\(keys.count)".utf8)] + keys + arguments)
    }

    /// Keeps the hash that the server answers SCRIPT LOAD with.
    fileprivate func learn(_ reply: RedisReply?) throws(QueueError) -> [UInt8] {
        switch reply {
        case .bytes(let hash)?:
            self.hash.withLock { $0 = hash }
            return hash
        case .error(let text)?: throw QueueError(redisError: text)
        default:
            throw QueueError(
                .failed, "The server did not answer SCRIPT LOAD with a hash. Check that it is Redis 7.0, or newer.")
        }
    }
}

extension RedisCommands {
    /// Runs a script by its hash. A server that does not know it, or has forgotten it, gets its text first.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - keys: The script's `KEYS`.
    ///   - arguments: The script's `ARGV`.
    /// - Returns: The script's reply, which may be an error reply.
    /// - Throws: As ``execute(_:)``, or what the server's refusal of the text means; see
    ///   `QueueError.init(redisError:of:)`.
    public func run(
        _ script: RedisScript, keys: [[UInt8]] = [], arguments: [[UInt8]] = []
    ) async throws(QueueError) -> RedisReply {
        try await run(script, keys: keys, arguments: arguments, then: []).0
    }

    /// Like ``run(_:keys:arguments:)``, with commands that are sent right behind the script, in the same flush. They
    /// are executed whatever the script's reply is.
    func run(
        _ script: RedisScript, keys: [[UInt8]], arguments: [[UInt8]], then following: [RedisCommand]
    ) async throws(QueueError) -> (RedisReply, [RedisReply]) {
        if let hash = script.knownHash {
            let replies = try await all(
                execute([script.call(hash, keys: keys, arguments: arguments)] + following), following: following.count)
            guard case .error(let text) = replies.0, RedisErrorCode(text).word == "NOSCRIPT" else { return replies }
        }
        // On a cluster, the script's text may go to one node, and its call to the node that has its keys by now.
        for _ in 0..<2 {
            let hash = try await script.learn(execute([script.load]).first)
            let replies = try await all(
                execute([script.call(hash, keys: keys, arguments: arguments)] + following), following: following.count)
            guard case .error(let text) = replies.0, RedisErrorCode(text).word == "NOSCRIPT" else { return replies }
        }
        throw QueueError(
            .unreachable,
            "The Redis server does not know a script that it has just got (NOSCRIPT): the queue may be on its way to another "
                + "node. Try again.")
    }

    /// The reply of the script, and the others.
    private func all(_ replies: [RedisReply], following: Int) throws(QueueError) -> (RedisReply, [RedisReply]) {
        guard let first = replies.first, replies.count > following else {
            throw QueueError(
                .unreachable, "The Redis client returned too few replies. The commands may have been executed.")
        }
        return (first, following == 0 ? [] : Array(replies.dropFirst()))
    }
}
