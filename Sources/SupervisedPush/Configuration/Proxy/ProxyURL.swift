import PushTransport

/// Reads a proxy's URL. Its errors show no part of the URL, because any part could be a piece of the password.
enum ProxyURL {
    struct Problem: Error {
        let sentence: String
    }

    private static let mostBytes = 4_096

    static func server(_ text: String) throws(Problem) -> ProxyServer {
        guard text.utf8.count <= mostBytes else { throw Problem(sentence: "it has more than 4096 bytes.") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw Problem(sentence: "it contains a space or a control character; percent-encode it, as in %20.")
        }
        var rest = text[...]
        var kind = ProxyServer.Kind.http
        if let mark = rest.firstRange(of: "://") {
            kind = try Self.kind(rest[..<mark.lowerBound].lowercased())
            rest = rest[mark.upperBound...]
        }
        if let end = rest.firstIndex(where: { "/?#".contains($0) }) {
            guard rest[end...] == "/" else {
                throw Problem(sentence: problem(of: rest[end]))
            }
            rest = rest[..<end]
        }
        var login: ProxyServer.Login?
        if let at = rest.lastIndex(of: "@") {
            login = try Self.login(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let endpoint = try endpoint(rest, defaultPort: kind == .http ? 80 : 1_080)
        let server = ProxyServer(kind, at: endpoint, login: login)
        if let problem = problem(server) { throw Problem(sentence: problem) }
        return server
    }

    /// What is wrong with a sign that ends the host.
    private static func problem(of sign: Character) -> String {
        switch sign {
        case "#": "it has a #; write a # in a password as %23."
        case "?": "it has a ?; write a ? in a password as %3F."
        default: "it has a path; write a / in a password as %2F."
        }
    }

    /// What is invalid in a proxy from any source; nil if nothing is.
    static func problem(_ proxy: ProxyServer) -> String? {
        let host = proxy.endpoint.host
        let isName = !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
        guard isName, host.utf8.count <= 255, !host.contains(":") || IPLiteral(host) != nil else {
            return "the proxy's host must be a name or an address, without scheme, port and path."
        }
        guard (1...65_535).contains(proxy.endpoint.port) else { return "the proxy's port must be 1 to 65535." }
        guard let login = proxy.login else { return nil }
        let (user, password) = (login.user.utf8, login.password.utf8)
        guard !user.isEmpty else { return "the proxy's user name is empty." }
        switch proxy.kind {
        case .http:
            guard !login.user.contains(":") else { return "the user name of an HTTP proxy must not contain a colon." }
            guard user.count <= 1_024, password.count <= 1_024 else {
                return "the proxy's user name and password may have 1024 bytes each."
            }
        case .socks5:
            guard user.count <= 255, (1...255).contains(password.count) else {
                return "SOCKS takes a user name and a password of 1 to 255 bytes each."
            }
        }
        guard (Array(user) + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return "the proxy's user name and password must not contain control characters."
        }
        return nil
    }

    private static func kind(_ scheme: String) throws(Problem) -> ProxyServer.Kind {
        switch scheme {
        case "http": return .http
        case "socks5", "socks5h": return .socks5
        case "https":
            throw Problem(
                sentence: "TLS to the proxy itself is not supported; use http://, which passes the TLS to APNs on.")
        default: throw Problem(sentence: "its scheme must be http, socks5 or socks5h.")
        }
    }

    private static func login(_ text: Substring) throws(Problem) -> ProxyServer.Login {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return ProxyServer.Login(
            user: try decoded(parts[0]), password: parts.count == 2 ? try decoded(parts[1]) : "")
    }

    private static func endpoint(_ text: Substring, defaultPort: Int) throws(Problem) -> Endpoint {
        var host = text
        var port = text[text.endIndex...]
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw Problem(sentence: "a bracket is not closed.") }
            host = text[text.index(after: text.startIndex)..<end]
            guard host.contains(":"), IPLiteral(String(host)) != nil else {
                throw Problem(sentence: "its brackets must contain an IPv6 address.")
            }
            port = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[colon...]
            guard !port.dropFirst().contains(":") else {
                throw Problem(sentence: "an IPv6 address needs brackets, as in http://[::1]:3128.")
            }
        }
        guard !host.isEmpty else { throw Problem(sentence: "it has no host.") }
        guard !port.isEmpty else { return Endpoint(host: String(host), port: defaultPort) }
        guard port.first == ":", port.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(port.dropFirst()), (1...65_535).contains(number)
        else { throw Problem(sentence: "its port must be a number from 1 to 65535.") }
        return Endpoint(host: String(host), port: number)
    }

    private static func decoded(_ text: Substring) throws(Problem) -> String {
        do { return try PercentDecoding.decode(text) } catch {
            switch error {
            case .noDigits:
                throw Problem(sentence: "a % must be followed by two hexadecimal digits; write % itself as %25.")
            case .notUTF8: throw Problem(sentence: "the user name or password is not UTF-8.")
            }
        }
    }
}
