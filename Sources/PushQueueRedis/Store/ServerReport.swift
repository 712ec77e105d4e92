import PushQueue

/// What the server's INFO says, as far as the queue depends on it.
struct ServerReport {
    private let values: [String: String]

    /// - Parameter info: The text of INFO.
    init(_ info: String) { values = ServerInfo.values(of: info) }

    /// Throws `refused` if the queue would not be safe on this server, `unreachable` if it is a replica.
    func check() throws(QueueError) {
        // Valkey tells the version of Redis that it agrees with, too.
        let valkey = values["valkey_version"]
        let version = valkey ?? values["redis_version"] ?? "unknown"
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
            let name = valkey == nil ? "Redis" : "Valkey"
            throw QueueError(
                .refused,
                "The queue needs Redis 7.0 or Valkey 7.2, or later; the server is \(name) \(version.prefix(20)).")
        }
        let policy = values["maxmemory_policy"] ?? "unknown"
        guard policy == "noeviction" else {
            throw QueueError(
                .refused,
                "The Redis server would remove pushes when its memory is full: its maxmemory-policy is "
                    + "\(policy.prefix(20)). Set it to noeviction, with CONFIG SET and in its file.")
        }
        guard values["role"] == "master" else {
            // It passes by itself where a failover is under way.
            throw QueueError(
                .unreachable,
                "The Redis server is a replica. Connect to its primary; after a failover, wait until it is one.")
        }
    }

    /// What an operator should know.
    var warnings: [String] {
        var warnings: [String] = []
        if values["aof_enabled"] != "1" {
            warnings.append(
                "The Redis server keeps no append-only file: if it ends, pushes that were put in are lost. "
                    + "Set appendonly to yes.")
        }
        if values["maxmemory"] == "0" {
            warnings.append(
                "The Redis server has no memory limit: a queue that grows ends it, or its machine. Set maxmemory.")
        }
        return warnings
    }
}
