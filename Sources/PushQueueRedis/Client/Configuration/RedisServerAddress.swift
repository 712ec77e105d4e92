import PushQueue
import SupervisedPush

/// Where a Redis server is, and as whom to log in: the parts of a URL.
public struct RedisServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name or an IP literal, IPv6 without brackets.
    public var host: String
    /// The port. By default 6379.
    public var port: Int
    /// The database, from 0, the default. A cluster has only that.
    public var database: Int
    /// Whether the server is reached over TLS: `rediss`. False is the default.
    public var usesTLS: Bool
    /// The user of the server's access list; nil, the default, is the user `default`.
    public var user: String?
    /// The path of the server's Unix socket, on the same machine, instead of the host and the port; nil is the default.
    public var socketPath: String?
    /// The password; nil, the default: no login.
    public var password: RedisPassword?
    /// The Sentinels that know where the server is, instead of the host and the port; nil is the default.
    public var sentinels: RedisSentinels?

    /// Makes an address of its parts.
    public init(
        host: String, port: Int = 6_379, database: Int = 0, usesTLS: Bool = false, user: String? = nil,
        password: RedisPassword? = nil
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.usesTLS = usesTLS
        self.user = user
        self.password = password
    }

    /// Makes an address of a Unix socket on the same machine.
    public init(socketPath: String, database: Int = 0, user: String? = nil, password: RedisPassword? = nil) {
        self.init(host: "localhost", database: database, user: user, password: password)
        self.socketPath = socketPath
    }

    /// Parses `redis://user:password@host:port/database`, or `rediss://…` for TLS. Only the host is required. User and
    /// password are percent-encoded; `redis://:password@host` logs in as the user `default`.
    ///
    /// A Unix socket is `unix://user:password@/path?db=database`, as redis-py and go-redis write it, or the same with
    /// `redis+unix`. Only the path is required; it is percent-encoded.
    ///
    /// A primary that Sentinels know is `redis+sentinel://user:password@host:port,host:port/name/database`, or
    /// `rediss+sentinel://…` for TLS to the Sentinels and to it. `name` is what the Sentinels call it. A Sentinel's port is
    /// 26379 if it is left out. User and password are those of the primary; see ``RedisSentinels`` for the Sentinels' own.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - passwordFile: A file with the password, instead of one in the URL; see ``RedisPassword/file(_:)``.
    /// - Throws: `QueueError` with the code `failed`, which names the wrong part and does not show the password.
    public init(url: String, passwordFile: String? = nil) throws(QueueError) {
        guard let mark = url.firstRange(of: "://") else { throw Self.wrong(Self.schemes) }
        let tail = url[mark.upperBound...]
        switch url[..<mark.lowerBound].lowercased() {
        case "redis": usesTLS = false
        case "rediss": usesTLS = true
        case "unix", "redis+unix":
            self = try Self.socket(tail)
            try take(passwordFile)
            return
        case "redis+sentinel", "rediss+sentinel":
            try Self.checkEnd(of: tail)
            self = try Self.sentinel(tail, usesTLS: url.lowercased().hasPrefix("rediss"))
            try take(passwordFile)
            return
        default: throw Self.wrong(Self.schemes)
        }
        try Self.checkEnd(of: tail)
        let slash = tail.firstIndex(of: "/") ?? tail.endIndex
        database = try Self.database(tail[slash...].dropFirst())
        let authority = tail[..<slash]
        let at = authority.lastIndex(of: "@")
        (host, port) = try Self.hostAndPort(at.map { authority[authority.index(after: $0)...] } ?? authority)
        (user, password) = try Self.login(at.map { authority[..<$0] } ?? "")
        try take(passwordFile)
    }

    /// What to write, at the end of each error. A program that takes no password in a URL has another form.
    package static let form = "Write redis://USER:PASSWORD@HOST:PORT/DATABASE."

    private static let schemes =
        "it must begin with redis://, with rediss:// for TLS, with redis+sentinel://, or with unix:// for a Unix socket"

    private static func checkEnd(of text: Substring) throws(QueueError) {
        guard !text.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw wrong("it has a ? or #; in a user or a password, write %3F or %23")
        }
    }

    /// Takes the password from a file, and checks that a user has one.
    private mutating func take(_ passwordFile: String?) throws(QueueError) {
        if let passwordFile {
            guard password == nil else { throw Self.wrong("it has a password although a password file is given") }
            password = .file(passwordFile)
        }
        if user != nil, password == nil {
            throw Self.wrong("it has a user but no password; write redis://:PASSWORD@HOST for a password alone")
        }
    }

    /// Parses what follows `unix://`.
    private static func socket(_ text: Substring) throws(QueueError) -> RedisServerAddress {
        guard let slash = text.firstIndex(of: "/"), !text.contains("#") else {
            throw wrong("a Unix socket needs a path that begins with /, and has no #; write unix:///PATH?db=DATABASE")
        }
        let login = text[..<slash]
        guard login.isEmpty || login.last == "@", !login.contains("?") else {
            throw wrong("what stands before the path of a Unix socket must end with @; write unix:///PATH for no login")
        }
        let mark = text.firstIndex(of: "?") ?? text.endIndex
        let query = text[mark...].dropFirst()
        guard query.isEmpty || query.hasPrefix("db=") && !query.contains("&") else {
            throw wrong("only ?db=DATABASE may follow the path of a Unix socket; user and password stand before it")
        }
        let path = try decoded(text[slash..<mark])
        guard path.utf8.count > 1 else { throw wrong("it has no path of a Unix socket") }
        let (user, password) = try Self.login(login.dropLast())
        return RedisServerAddress(
            socketPath: path, database: try database(query.dropFirst(3)), user: user, password: password)
    }

    /// The URL without user and password.
    public var description: String {
        if let socketPath { return "unix://\(socketPath)" + (database == 0 ? "" : "?db=\(database)") }
        let (scheme, path) = (usesTLS ? "rediss" : "redis", database == 0 ? "" : "/\(database)")
        guard let sentinels else { return "\(scheme)://\(node)\(path)" }
        let nodes = sentinels.nodes.map(\.description).joined(separator: ",")
        return "\(scheme)+sentinel://\(nodes)/\(sentinels.primary)\(path)"
    }

    /// The host and the port.
    package var node: RedisNode { RedisNode(host: host, port: port) }

    static func database(_ text: Substring) throws(QueueError) -> Int {
        if text.isEmpty { return 0 }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), number <= 65_535 else {
            throw wrong("what follows the / or db= must be a database's number; in a password, write %2F for /")
        }
        return number
    }

    static func hostAndPort(_ text: Substring, usualPort: Int = 6_379) throws(QueueError) -> (String, Int) {
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw wrong("the host has a [ without a ]") }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { throw wrong("the port must follow the ] after a :") }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty else { throw wrong("it has no host") }
        guard let port, !port.isEmpty else { return (String(host), usualPort) }
        guard port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(port), 1...65_535 ~= number else {
            throw wrong("the port must be a number from 1 to 65535; an IPv6 address is in brackets")
        }
        return (String(host), number)
    }

    static func login(_ text: Substring) throws(QueueError) -> (String?, RedisPassword?) {
        let colon = text.firstIndex(of: ":")
        let user = try decoded(text[..<(colon ?? text.endIndex)])
        let password = try decoded(colon.map { text[text.index(after: $0)...] } ?? "")
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : .text(password))
    }

    static func decoded(_ text: Substring) throws(QueueError) -> String {
        do { return try PercentDecoding.decode(text) } catch {
            switch error {
            case .noDigits:
                throw wrong(
                    "a % in the user, the password or the path is not followed by two hexadecimal digits; write %25 for %"
                )
            case .notUTF8: throw wrong("the user, the password or the path is not UTF-8")
            }
        }
    }

    /// Never contains a part of the URL: any part can be one of a password that was not encoded.
    static func wrong(_ what: String) -> QueueError {
        QueueError(.failed, "The Redis URL is not valid: \(what). \(form)")
    }
}
