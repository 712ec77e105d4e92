import FoundationEssentials
import PushQueue

/// What an examination of a queue's server has found. Nothing was changed.
package struct RedisQueueFacts: Sendable {
    /// How long it took until the server answered the first command, after TCP, TLS and login.
    package var connecting = Duration.zero
    /// Where the server is; nil if that is not known.
    package var address: String?
    /// What each Sentinel says; empty without Sentinels.
    package var sentinels: [RedisSentinelFact] = []
    /// How long each of the round trips took, without the first, which connects.
    package var roundTrips: [Duration] = []
    /// How far the server's clock is ahead of this machine's, in seconds; nil if the server does not tell.
    package var clockAhead: Double?
    /// The names and values of INFO. A user without that right cannot log in.
    package var info: [String: String] = [:]
    /// How often the append-only file is written to the disk; nil if the user must not ask.
    package var appendfsync: String?
    /// The keys of the queue that exist and have a wrong type, as `KEY is a string, not a stream`; none if the user must
    /// not ask for types, which a worker need not.
    package var wrongTypes: [String] = []
    /// The rights that a worker needs and this user does not have.
    package var missingRights: [String] = []
    /// Why the rights could not be asked for; nil if they could.
    package var rightsProblem: String?
    /// Whether any key of the queue exists.
    package var isThere = false
    /// Whether the consumer group of the workers exists.
    package var hasGroup = false

    package init() {}

    /// What is wrong with the rights of a user; nil if none is missing.
    package static func problem(ofRights missing: [String]) -> String? {
        guard !missing.isEmpty else { return nil }
        return "The Redis server does not let this user do what a worker needs: \(missing.joined(separator: ", ")). "
            + "Let an administrator call ACL SETUSER with its name and "
            + "\(missing.map { "+\($0)" }.joined(separator: " "))."
    }
}

extension RedisQueue {
    private static let pings = 20

    /// Whether any key of the queue is on the server. It makes none. For a user who must not ask, the answer is yes.
    package func exists() async throws(QueueError) -> Bool {
        let replies = try await commands.execute([RedisCommand(words: [Array("EXISTS".utf8)] + keys.all)])
        return replies.first?.number.map { $0 > 0 } ?? true
    }

    /// Examines the server and the queue's keys.
    ///
    /// - Throws: `unreachable` if there is no answer, `refused` if the server refuses TLS or the login.
    package func examine() async throws(QueueError) -> RedisQueueFacts {
        var facts = RedisQueueFacts()
        let ping = [RedisCommand("PING")]
        let begin = ContinuousClock.now
        if case .error(let text)? = try await commands.execute(ping).first { throw QueueError(redisError: text) }
        facts.connecting = ContinuousClock.now - begin
        facts.address = serverAddress
        facts.sentinels = await examineSentinels()
        for _ in 0..<Self.pings {
            let start = ContinuousClock.now
            _ = try await commands.execute(ping)
            facts.roundTrips.append(ContinuousClock.now - start)
        }
        facts.clockAhead = try await clockAhead()
        facts.info = ServerInfo.values(of: try await commands.execute([RedisCommand("INFO")]).first?.text ?? "")
        do throws(QueueError) { facts.missingRights = try await missingRights() } catch {
            guard error.code != .unreachable else { throw error }
            facts.rightsProblem = error.description
        }
        let config = try await commands.execute([RedisCommand("CONFIG", "GET", "appendfsync")]).first
        facts.appendfsync = config?[1].text
        facts.isThere = try await exists()
        facts.wrongTypes = try await wrongTypes()
        let groups = try await commands.execute([RedisCommand("XINFO", "GROUPS", keys.stream)]).first?.elements ?? []
        // Each group is a list of names and values, and the first pair is its name.
        facts.hasGroup = groups.contains { $0[1].text == "workers" }
        return facts
    }

    private func clockAhead() async throws(QueueError) -> Double? {
        let before = Date()
        guard let reply = try await commands.execute([RedisCommand("TIME")]).first, let seconds = reply[0].number,
            let microseconds = reply[1].number
        else { return nil }
        // The server looked at its clock about half way.
        let middle = before.addingTimeInterval(Date().timeIntervalSince(before) / 2)
        return Double(seconds) + Double(microseconds) / 1_000_000 - middle.timeIntervalSince1970
    }

    private func wrongTypes() async throws(QueueError) -> [String] {
        let types = try await commands.execute(keys.all.map { RedisCommand(words: [Array("TYPE".utf8), $0]) })
        return zip(keys.all, types).compactMap { key, reply in
            let name = String(decoding: key, as: UTF8.self)
            let expected = Self.type(ofKey: name == keys.stream ? "" : String(name.dropFirst(keys.stream.utf8.count)))
            guard let type = reply.text, type != "none", let expected, type != expected else { return nil }
            return "\(name) is a \(type), not a \(expected)"
        }
    }

    /// The type of a key by what follows the name of the stream; nil if it is not known.
    private static func type(ofKey suffix: String) -> String? {
        switch suffix {
        case "", ":o", ":f", ":dead", ":wake": "stream"
        case ":later", ":calls": "zset"
        case ":delayed", ":progress", ":workers", ":counts", ":orphans", ":beats", ":campaigns": "hash"
        default: nil
        }
    }
}
