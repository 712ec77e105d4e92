import PushQueue

/// The Sentinels that know where the primary of a replicated Redis is.
public struct RedisSentinels: Sendable, Hashable {
    /// The port of a Sentinel that names none.
    public static let usualPort = 26_379
    /// No more can be named.
    public static let limit = 16

    /// Where they are, in the order in which they are asked. From 1 to 16.
    public var nodes: [RedisNode]
    /// The name by which they watch the primary.
    public var primary: String
    /// The user of the Sentinels' own access list; nil, the default, is their user `default`.
    public var user: String?
    /// The Sentinels' own password; nil, the default: no login. That of the primary is the address's.
    public var password: RedisPassword?

    /// Names Sentinels.
    public init(_ nodes: [RedisNode], primary: String, user: String? = nil, password: RedisPassword? = nil) {
        (self.nodes, self.primary, self.user, self.password) = (nodes, primary, user, password)
    }
}

extension RedisServerAddress {
    /// Makes an address that Sentinels know.
    ///
    /// - Parameters:
    ///   - sentinels: Who is asked.
    ///   - database: The database of the primary.
    ///   - usesTLS: Whether the Sentinels and the primary are reached over TLS.
    ///   - user: The user on the primary.
    ///   - password: The password on the primary.
    public init(
        sentinels: RedisSentinels, database: Int = 0, usesTLS: Bool = false, user: String? = nil,
        password: RedisPassword? = nil
    ) {
        let first = sentinels.nodes.first ?? RedisNode(host: "localhost", port: RedisSentinels.usualPort)
        self.init(
            host: first.host, port: first.port, database: database, usesTLS: usesTLS, user: user, password: password)
        self.sentinels = sentinels
    }

    /// `user:password@HOST:PORT,HOST:PORT/NAME/DATABASE`, without the scheme.
    static func sentinel(_ text: Substring, usesTLS: Bool) throws(QueueError) -> RedisServerAddress {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        let at = text[..<slash].lastIndex(of: "@")
        let hosts = text[(at.map { text.index(after: $0) } ?? text.startIndex)..<slash]
        let path = text[slash...].dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = try decoded(path.first ?? "")
        guard !name.isEmpty else {
            throw wrong(
                "it names no primary; write redis+sentinel://HOST:PORT,HOST:PORT/NAME, with the name that the Sentinels know"
            )
        }
        let texts = hosts.split(separator: ",", omittingEmptySubsequences: false)
        guard texts.count <= RedisSentinels.limit else { throw wrong("it names more than 16 Sentinels") }
        var nodes: [RedisNode] = []
        for text in texts {
            let (host, port) = try hostAndPort(text, usualPort: RedisSentinels.usualPort)
            nodes.append(RedisNode(host: host, port: port))
        }
        let (user, password) = try login(at.map { text[..<$0] } ?? "")
        return RedisServerAddress(
            sentinels: RedisSentinels(nodes, primary: name), database: try database(path.count > 1 ? path[1] : ""),
            usesTLS: usesTLS, user: user, password: password)
    }
}
