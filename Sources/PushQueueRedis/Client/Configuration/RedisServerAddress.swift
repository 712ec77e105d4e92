import Foundation
import PushQueue

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
    /// The password; nil, the default, logs in nowhere.
    public var password: RedisPassword?

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

    /// Parses `redis://user:password@host:port/database`, or `rediss://…` for TLS. Only the host is required. User and
    /// password are percent-encoded; `redis://:password@host` logs in as the user `default`.
    ///
    /// - Parameter passwordFile: A file with the password, instead of one in the URL; see ``RedisPassword/file(_:)``.
    /// - Throws: ``QueueError`` with the code `failed`, which names the wrong part and does not show the password.
    public init(url: String, passwordFile: String? = nil) throws(QueueError) {
        let tail: Substring
        switch url.range(of: "://") {
        case let mark? where url[..<mark.lowerBound].lowercased() == "redis":
            usesTLS = false
            tail = url[mark.upperBound...]
        case let mark? where url[..<mark.lowerBound].lowercased() == "rediss":
            usesTLS = true
            tail = url[mark.upperBound...]
        default: throw Self.wrong("it must begin with redis:// or, for TLS, rediss://")
        }
        guard !tail.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Self.wrong("it has a ? or #; in a user or a password, write %3F or %23")
        }
        let slash = tail.firstIndex(of: "/") ?? tail.endIndex
        database = try Self.database(tail[slash...].dropFirst())
        let authority = tail[..<slash]
        let at = authority.lastIndex(of: "@")
        (host, port) = try Self.hostAndPort(at.map { authority[authority.index(after: $0)...] } ?? authority)
        (user, password) = try Self.login(at.map { authority[..<$0] } ?? "")
        if let passwordFile {
            guard password == nil else { throw Self.wrong("it has a password although a password file is given") }
            password = .file(passwordFile)
        }
        if user != nil, password == nil {
            throw Self.wrong("it has a user but no password; write redis://:PASSWORD@HOST for a password alone")
        }
    }

    /// The URL without user and password.
    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(usesTLS ? "rediss" : "redis")://\(host):\(port)" + (database == 0 ? "" : "/\(database)")
    }

    private static func database(_ text: Substring) throws(QueueError) -> Int {
        if text.isEmpty { return 0 }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), number <= 65_535 else {
            throw wrong("what follows the / must be a database's number; in a password, write %2F for /")
        }
        return number
    }

    private static func hostAndPort(_ text: Substring) throws(QueueError) -> (String, Int) {
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
        guard let port, !port.isEmpty else { return (String(host), 6_379) }
        guard port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(port), 1...65_535 ~= number else {
            throw wrong("the port must be a number from 1 to 65535; an IPv6 address is in brackets")
        }
        return (String(host), number)
    }

    private static func login(_ text: Substring) throws(QueueError) -> (String?, RedisPassword?) {
        let colon = text.firstIndex(of: ":")
        let user = try decoded(text[..<(colon ?? text.endIndex)])
        let password = try decoded(colon.map { text[text.index(after: $0)...] } ?? "")
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : .text(password))
    }

    private static func decoded(_ text: Substring) throws(QueueError) -> String {
        guard let text = String(text).removingPercentEncoding else {
            throw wrong("a % in the user or the password is not followed by two hexadecimal digits; write %25 for %")
        }
        return text
    }

    /// Never contains a part of the URL: any part can be one of a password that was not encoded.
    private static func wrong(_ what: String) -> QueueError {
        QueueError(.failed, "The Redis URL is not valid: \(what). Write redis://USER:PASSWORD@HOST:PORT/DATABASE.")
    }
}
