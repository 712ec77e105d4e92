import PushQueue

/// The first word of a server's error, which says what kind of error it is.
struct RedisErrorCode {
    let word: String
    /// The node that has the queue, as `HOST:PORT`, if the reply says it (MOVED, ASK).
    let node: String?

    /// - Parameter text: The text of an error reply.
    init(_ text: String) {
        // Redis 7.0 has no code of its own for a right that is missing within a script.
        let isMissingRight = text.hasPrefix("ERR The user executing the script can't ")
        word = isMissingRight ? "NOPERM" : String(text.prefix { $0 != " " }.prefix(32))
        node = RedisRedirection(text).flatMap { target in target.host.map { "\($0):\(target.port)" } }
    }

    /// What a code means that any command can get; nil for the others.
    func failure(of server: String) -> RedisFailure? {
        switch word {
        case "LOADING":
            RedisFailure(
                .unreachable,
                "\(server) is still loading its data (LOADING). Wait until it has read its files.")
        case "MASTERDOWN":
            RedisFailure(
                .unreachable,
                "\(server) is a replica that has lost its primary. Check the primary, or promote the replica.")
        case "READONLY":
            RedisFailure(
                .unreachable,
                "\(server) is a replica and takes no writes. Give the address of the primary; after a failover, "
                    + "reconnect.")
        case "BUSY":
            RedisFailure(.unreachable, "\(server) is busy (\(word)). Try again; see its log.")
        case "CLUSTERDOWN":
            RedisFailure(
                .unreachable,
                "\(server) is a node of a cluster that lacks a node now (CLUSTERDOWN). Wait until a replica has taken its "
                    + "place; otherwise check CLUSTER INFO.")
        case "TRYAGAIN":
            RedisFailure(
                .unreachable,
                "\(server) is a node of a cluster that moves the queue to another node now (TRYAGAIN). Wait until all of "
                    + "its keys are there.")
        case "OOM":
            RedisFailure(.full, "\(server) has no memory left. Raise its maxmemory, or drain the queue.")
        case "NOAUTH", "WRONGPASS":
            RedisFailure(.refused, "\(server) refused the login (\(word)). Check the user and the password.")
        case "NOPERM":
            RedisFailure(.refused, "\(server) does not let this user do that. Check its rights with ACL GETUSER.")
        case "DENIED":
            RedisFailure(
                .refused,
                "\(server) is in protected mode and takes only local connections. Give its default user a password.")
        case "MOVED", "ASK", "CROSSSLOT":
            RedisFailure(
                .refused,
                "\(server) is a node of a cluster that does not have this queue (\(word)), and this client does not "
                    + "follow. Give the address of the node that has it\(node.map { ": \($0)" } ?? "").")
        case "NOREPLICAS":
            RedisFailure(.unreachable, "\(server) has too few replicas to take writes. Check its replicas.")
        case "MISCONF":
            RedisFailure(
                .unreachable,
                "\(server) takes no writes because it cannot save to its disk (MISCONF). Check the disk and its log.")
        case "WRONGTYPE":
            RedisFailure(
                .failed,
                "\(server) has a value of another type (WRONGTYPE) under a key of the queue: something else uses the "
                    + "key. Give the queue another name, or delete that key.")
        case "NOGROUP":
            RedisFailure(.lost, "\(server) does not have the queue's group any more. Something has deleted it.")
        default: nil
        }
    }
}

extension QueueError {
    /// What an error reply of a Redis server means, and what to do.
    ///
    /// The text of the reply is not shown, because it can repeat arguments, except the address that MOVED or ASK gives. `unreachable`: LOADING, MASTERDOWN,
    /// READONLY, BUSY, TRYAGAIN, CLUSTERDOWN, NOREPLICAS, MISCONF. `full`: OOM. `refused`: NOAUTH, WRONGPASS, NOPERM,
    /// DENIED, MOVED, ASK, CROSSSLOT. `lost`: NOGROUP. `failed`: WRONGTYPE and all others.
    ///
    /// - Parameters:
    ///   - text: The text of the reply.
    ///   - server: How the sentence calls the server.
    public init(redisError text: String, of server: String = "The Redis server") {
        let code = RedisErrorCode(text)
        let failure =
            code.failure(of: server)
            ?? RedisFailure(.failed, "\(server) refused a command (\(code.word)). See its log.")
        self = failure.error
    }
}
