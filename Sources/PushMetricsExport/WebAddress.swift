import PushTransport

/// An address of the web: `https://host:port/path?query`. There is none without TLS.
package struct WebAddress: Sendable, Hashable {
    /// Why a text is no such address. No case has a part of it but its host, because a path or a query can be a secret.
    package enum Problem: Error, Sendable, Equatable {
        case malformed
        /// It is not `https`; the host, where one can be read.
        case insecure(host: String?)
    }

    private static let mostBytes = 8_192

    package let endpoint: Endpoint
    /// Path and query.
    package let target: String

    package init(_ endpoint: Endpoint, target: String) {
        self.endpoint = endpoint
        self.target = target
    }

    package init(_ text: String) throws(Problem) {
        guard text.utf8.count <= Self.mostBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let mark = text.firstRange(of: "://")
        else { throw .malformed }
        let rest = text[mark.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let endpoint = Self.endpoint(authority)
        guard text[..<mark.lowerBound].lowercased() == "https" else { throw .insecure(host: endpoint?.host) }
        guard let endpoint else { throw .malformed }
        let target = rest[authority.endIndex...]
        self.init(endpoint, target: target.hasPrefix("/") ? String(target) : "/" + target)
    }

    /// The address to which an answer from here leads (RFC 9110, section 10.2.2): another one, or a path on this host.
    package func leading(to location: String) throws(Problem) -> WebAddress {
        if location.hasPrefix("//") { return try WebAddress("https:" + location) }
        guard location.hasPrefix("/") else { return try WebAddress(location) }
        return try WebAddress("https://\(authority)\(location)")
    }

    /// Host and port as a header field `host` has them.
    package var authority: String { endpoint.port == 443 ? endpoint.uriHost : endpoint.description }

    /// Nil for a user or a password, too: none is sent.
    private static func endpoint(_ authority: Substring) -> Endpoint? { Endpoint(webAuthority: authority) }
}

extension Endpoint {
    /// The host and port of `host`, `host:port` or `[address]:port`; 443 without a port. Nil for anything else.
    package init?(webAuthority text: some StringProtocol) {
        var host = String(text.lowercased())
        var port = 443
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty, let number = Self.port(rest.dropFirst()) {
                port = number
            } else if !rest.isEmpty {
                return nil
            }
            host = String(host[host.index(after: host.startIndex)..<end])
            guard host.contains(":"), IPLiteral(host) != nil else { return nil }
        } else {
            if let colon = host.firstIndex(of: ":") {
                guard let number = Self.port(host[host.index(after: colon)...]) else { return nil }
                port = number
                host = String(host[..<colon])
            }
            let isName = host.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
            }
            guard isName, !host.isEmpty, host.utf8.count <= 255 else { return nil }
        }
        self.init(host: host, port: port)
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { return nil }
        return (1...65_535).contains(number) ? number : nil
    }
}
