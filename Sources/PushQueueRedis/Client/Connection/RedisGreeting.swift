import PushQueue

/// The first commands of each connection, which log in and ask the server who it is, and what the answers mean.
struct RedisGreeting: Sendable, Equatable {
    enum Step: String, Sendable {
        case login = "AUTH"
        case name = "CLIENT"
        case database = "SELECT"
        case server = "INFO"
        case role = "ROLE"
        /// A node of a cluster that does not have the key says which one has it.
        case key = "EXISTS"
        /// A server that loads its data, or a replica without its primary, answers all of the above, and refuses this.
        case ready = "PING"
    }

    /// In the order of the commands. Each has one reply.
    let steps: [Step]
    private let server: String
    /// The host and the port.
    let place: RedisNode
    private let usesTLS: Bool
    private let user: String?
    private let database: Int
    private let clientName: String
    /// Empty if the connection needs none.
    private let key: String

    init(_ configuration: RedisConnection.Configuration) {
        server = configuration.description
        place = configuration.address.node
        usesTLS = configuration.address.usesTLS
        user = configuration.address.user
        database = configuration.address.database
        clientName = configuration.clientName ?? ""
        var steps: [Step] = configuration.address.password == nil ? [] : [.login]
        if !clientName.isEmpty { steps.append(.name) }
        if database != 0 { steps.append(.database) }
        key = configuration.routingKey ?? ""
        self.steps = steps + [.server, .role] + (key.isEmpty ? [] : [.key]) + [.ready]
    }

    func commands(password: [UInt8]?) -> [RedisCommand] {
        steps.map { step in
            switch step {
            case .login:
                RedisCommand(words: [Array("AUTH".utf8)] + (user.map { [Array($0.utf8)] } ?? []) + [password ?? []])
            case .name: RedisCommand("CLIENT", "SETNAME", clientName)
            case .database: RedisCommand("SELECT", "\(database)")
            case .server: RedisCommand("INFO", "server", "replication")
            case .role: RedisCommand("ROLE")
            case .key: RedisCommand("EXISTS", key)
            case .ready: RedisCommand("PING")
            }
        }
    }

    /// The first refusal among the replies so far.
    func refusal(in replies: [RedisReply]) -> RedisFailure? {
        for (step, reply) in zip(steps, replies) {
            if case .error(let text) = reply, let failure = failure(of: step, text: text) { return failure }
            if step == .role, Self.role(reply) == .other("sentinel") { return isSentinel(of: reply) }
        }
        return nil
    }

    /// Where the key is, if it is on another node of a cluster.
    func redirection(in replies: [RedisReply]) -> RedisRedirection? {
        guard let index = steps.firstIndex(of: .key), index < replies.count, case .error(let text) = replies[index],
            let redirection = RedisRedirection(text), redirection.kind == .moved
        else { return nil }
        return redirection
    }

    /// The replicas of a node of a cluster; empty for another server, whose replicas take its place only under another name.
    func replicasOfNode(_ replies: [RedisReply]) -> [RedisNode] {
        guard let info = steps.firstIndex(of: .server), let role = steps.firstIndex(of: .role), role < replies.count,
            let text = replies[info].text, ServerInfo.values(of: text)["redis_mode"] == "cluster"
        else { return [] }
        // ROLE of a primary: its word, its place in the data, and a host, a port and a place for each replica.
        return replies[role][2].elements.compactMap { replica in
            guard let host = replica[0].text, let port = replica[1].text.flatMap({ Int($0) }) else { return nil }
            return RedisNode(givenHost: host, port: port)
        }
    }

    /// What the server says of itself. Each step has a reply, and none is a refusal.
    ///
    /// - Parameter before: The session before this one.
    func session(_ replies: [RedisReply], after before: RedisServerSession?) -> RedisServerSession {
        var fields: [String: String] = [:]
        var role = RedisServerSession.Role.other("unknown")
        for (step, reply) in zip(steps, replies) {
            if step == .server, let text = reply.text { fields = ServerInfo.values(of: text) }
            if step == .role { role = Self.role(reply) }
        }
        let (runID, replicationID) = (fields["run_id"] ?? "", fields["master_replid"] ?? "")
        let version = fields["valkey_version"] ?? fields["redis_version"] ?? ""
        let name = fields["server_name"] ?? (fields["valkey_version"] == nil ? "redis" : "valkey")
        return RedisServerSession(
            number: (before?.number ?? 0) + 1, server: name, version: version, runID: runID,
            replicationID: replicationID, role: role,
            isAnotherServer: before.map { ($0.runID, $0.replicationID) != (runID, replicationID) } ?? false,
            address: server)
    }

    private static func role(_ reply: RedisReply) -> RedisServerSession.Role {
        guard case .array(let parts) = reply, case .bytes(let word)? = parts.first else { return .other("unknown") }
        switch String(decoding: word, as: UTF8.self) {
        case "master": return .primary
        case "slave":
            guard parts.count > 2, case .bytes(let host) = parts[1], case .integer(let port) = parts[2] else {
                return .replica(of: "unknown")
            }
            return .replica(of: "\(String(decoding: host, as: UTF8.self)):\(port)")
        case let other: return .other(other)
        }
    }
}

extension RedisGreeting {
    /// - Parameter role: What it answers to ROLE: its second part has the names of the primaries that it watches.
    private func isSentinel(of role: RedisReply) -> RedisFailure {
        let names = role[1].elements.compactMap(\.text)
        let name = names.first.flatMap { names.count == 1 && $0.utf8.count <= 100 ? $0 : nil } ?? "NAME"
        let known = names.count > 1 ? " It watches \(names.prefix(5).joined(separator: ", "))." : ""
        return RedisFailure(
            .refused,
            "\(server) is a Sentinel: it knows where the primary is, and holds no queue. Write "
                + "redis\(usesTLS ? "s" : "")+sentinel://\(place)/\(name), best with all of the Sentinels.\(known)")
    }

    /// What an error reply to a step means; nil if the connection can do without.
    ///
    /// Only the error's code is shown: its text can repeat arguments.
    private func failure(of step: Step, text: String) -> RedisFailure? {
        let code = RedisErrorCode(text)
        let name = user ?? "default"
        switch code.word {
        case "NOAUTH":
            return RedisFailure(
                .refused,
                "\(server) asks for a password. Give the address one, or a password file; to pushctl, "
                    + "--queue-password-file or PUSHCTL_QUEUE_PASSWORD.")
        case "NOPERM" where step == .name || step == .key: return nil
        case "MOVED" where step == .key && RedisRedirection(text) != nil: return nil
        // The slot is on its way to another node, and this one still has it.
        case "ASK" where step == .key: return nil
        case "ERR" where step == .database && text.contains("cluster mode"):
            return RedisFailure(
                .refused,
                "\(server) is a node of a cluster, which has only database 0. Leave the database out of the URL.")
        case "NOPERM":
            return RedisFailure(
                .refused,
                "\(server) does not let the user \(name) use \(step.rawValue). Let an administrator call "
                    + "ACL SETUSER \(name) +select +info +role +ping.")
        case "ERR" where text.contains("max number of clients"):
            return RedisFailure(
                .unreachable, "\(server) has no connection left. Raise its maxclients, or close other connections.")
        default:
            if let known = code.failure(of: server) { return known }
            switch step {
            case .login:
                return RedisFailure(
                    .refused,
                    "\(server) refused the login of the user \(name) (\(code.word)). Check the user and the "
                        + "password; leave both out if the server has none.")
            case .name, .key: return nil
            case .database:
                return RedisFailure(
                    .refused,
                    "\(server) has no database \(database) for this user (\(code.word)). Check the number in the URL.")
            case .server, .role, .ready:
                return RedisFailure(
                    .refused,
                    "\(server) refused \(step.rawValue) (\(code.word)). Check that it is Redis 7.0 or Valkey "
                        + "7.2, or newer.")
            }
        }
    }
}
