/// SOCKS version 5 (RFC 1928), with a user name and a password (RFC 1929) if there are any. Host names are sent as they
/// are: the proxy resolves them.
struct SOCKS5Tunnel: ProxyTunnel {
    private enum Phase {
        case method
        case login
        case reply
    }

    private static let version: UInt8 = 5
    private static let noLogin: UInt8 = 0
    private static let userAndPassword: UInt8 = 2
    private static let noneAcceptable: UInt8 = 0xFF

    private let target: Endpoint
    private let proxy: ProxyServer
    private let errors: ProxyErrors
    private var phase = Phase.method
    /// The received bytes that are not handled yet; an answer has at most 262 bytes.
    private var arrived: [UInt8] = []

    init(to target: Endpoint, through proxy: ProxyServer) {
        self.target = target
        self.proxy = proxy
        errors = ProxyErrors(proxy: proxy, target: target)
    }

    mutating func start() -> TunnelStep {
        guard (1...255).contains(target.host.utf8.count) else {
            return .failed(errors.unaskable("the host name is empty or has more than 255 bytes"))
        }
        guard let login = proxy.login else { return .say([Self.version, 1, Self.noLogin]) }
        guard (1...255).contains(login.user.utf8.count), (1...255).contains(login.password.utf8.count) else {
            return .failed(errors.unaskable("a SOCKS user name and password have 1 to 255 bytes each"))
        }
        return .say([Self.version, 2, Self.noLogin, Self.userAndPassword])
    }

    mutating func receive(_ bytes: [UInt8]) -> TunnelStep {
        arrived += bytes
        var step = TunnelStep()
        while step.outcome == nil {
            guard let next = understand() else { break }
            step.bytes += next.bytes
            step.outcome = next.outcome
        }
        return step
    }

    /// Nil if more bytes are needed.
    private mutating func understand() -> TunnelStep? {
        guard let first = arrived.first else { return nil }
        guard first == (phase == .login ? 1 : Self.version) else {
            return .failed(errors.malformed(first == UInt8(ascii: "H") ? "SOCKS5, but may be HTTP" : "SOCKS5"))
        }
        guard arrived.count >= 2 else { return nil }
        let second = arrived[1]
        switch phase {
        case .method:
            arrived.removeFirst(2)
            return chose(second)
        case .login:
            arrived.removeFirst(2)
            guard second == 0 else { return .failed(errors.authentication()) }
            return ask()
        case .reply:
            // Some proxies close right after these two bytes.
            guard second == 0 else { return .failed(errors.socksReply(second)) }
            return replied()
        }
    }

    private mutating func chose(_ method: UInt8) -> TunnelStep {
        switch (method, proxy.login) {
        case (Self.noLogin, _): return ask()
        case (Self.userAndPassword, let login?):
            phase = .login
            let (user, password) = (Array(login.user.utf8), Array(login.password.utf8))
            return .say([1, UInt8(clamping: user.count)] + user + [UInt8(clamping: password.count)] + password)
        case (Self.noneAcceptable, nil): return .failed(errors.authentication())
        case (Self.noneAcceptable, _): return .failed(errors.authentication(offering: "another kind of login"))
        default: return .failed(errors.malformed("SOCKS5"))
        }
    }

    private mutating func ask() -> TunnelStep {
        phase = .reply
        let host: [UInt8]
        if let address = IPLiteral(target.host) {
            host = [address.bytes.count == 4 ? 1 : 4] + address.bytes
        } else {
            host = [3, UInt8(clamping: target.host.utf8.count)] + Array(target.host.utf8)
        }
        let port = UInt16(clamping: target.port)
        return .say([Self.version, 1, 0] + host + [UInt8(port >> 8), UInt8(port & 0xFF)])
    }

    /// Skips the address from which the proxy connected.
    private mutating func replied() -> TunnelStep? {
        guard arrived.count >= 5 else { return nil }
        let length: Int
        switch arrived[3] {
        case 1: length = 4
        case 3: length = 1 + Int(arrived[4])
        case 4: length = 16
        default: return .failed(errors.malformed("SOCKS5"))
        }
        let end = 4 + length + 2
        guard arrived.count >= end else { return nil }
        return TunnelStep(outcome: .up(rest: Array(arrived[end...])))
    }
}
