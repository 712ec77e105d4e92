/// HTTP/1.1's CONNECT (RFC 9110, section 9.3.6), with Basic credentials (RFC 7617) if there are any.
///
/// The head of the answer may have up to 16 KiB and 100 lines. An answer that is not HTTP fails at its first wrong
/// byte.
struct HTTPConnectTunnel: ProxyTunnel {
    static let mostBytes = 16 << 10
    static let mostLines = 100
    private static let opening = Array("HTTP/1.".utf8)

    private let target: Endpoint
    private let proxy: ProxyServer
    private let errors: ProxyErrors
    /// The line that is being read.
    private var line: [UInt8] = []
    private var bytes = 0
    private var lines = 0
    /// The status of the head that is being read; nil until its first line is complete.
    private var status: Int?
    /// The authentication schemes that a 407 offers.
    private var schemes: [String] = []

    init(to target: Endpoint, through proxy: ProxyServer) {
        self.target = target
        self.proxy = proxy
        errors = ProxyErrors(proxy: proxy, target: target)
    }

    mutating func start() -> TunnelStep {
        guard !target.host.isEmpty, target.host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return .failed(errors.unaskable("the host name contains invalid characters"))
        }
        var head = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let login = proxy.login {
            head += "Proxy-Authorization: Basic \(base64("\(login.user):\(login.password)".utf8))\r\n"
        }
        return .say(Array((head + "\r\n").utf8))
    }

    mutating func receive(_ received: [UInt8]) -> TunnelStep {
        for (index, byte) in received.enumerated() {
            bytes += 1
            guard bytes <= Self.mostBytes else { return .failed(errors.tooLong) }
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                if status == nil, !isOpening { return .failed(errors.malformed("HTTP")) }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            defer { line.removeAll(keepingCapacity: true) }
            switch endLine() {
            case .more: continue
            case .failed(let error): return .failed(error)
            case .up: return TunnelStep(outcome: .up(rest: Array(received[(index + 1)...])))
            }
        }
        return .wait
    }

    private enum LineEnd {
        case more
        case up
        case failed(TransportError)
    }

    private mutating func endLine() -> LineEnd {
        guard let status else {
            self.status = statusCode
            return self.status == nil ? .failed(errors.malformed("HTTP")) : .more
        }
        if line.isEmpty { return endHead(status) }
        lines += 1
        guard lines <= Self.mostLines else { return .failed(errors.tooLong) }
        return readField() ? .more : .failed(errors.malformed("HTTP"))
    }

    private mutating func endHead(_ status: Int) -> LineEnd {
        switch status {
        // An interim answer: the final one follows (RFC 9110, section 15.2).
        case 100..<200:
            self.status = nil
            return .more
        case 200..<300: return .up
        // tinyproxy sends 401 if it rejects credentials, and 407 if it got none.
        case 401, 407: return .failed(errors.authentication(offering: foreignScheme))
        default: return .failed(errors.status(status))
        }
    }

    /// Whether the line may still become a status line.
    private var isOpening: Bool { zip(line, Self.opening).allSatisfy(==) }

    /// The status in `HTTP/1.x NNN…`; nil if the line is not a status line.
    private var statusCode: Int? {
        let start = Self.opening.count
        guard line.count >= start + 5, line[start] == UInt8(ascii: "0") || line[start] == UInt8(ascii: "1"),
            line[start + 1] == UInt8(ascii: " "), line.count == start + 5 || line[start + 5] == UInt8(ascii: " ")
        else { return nil }
        let digits = line[(start + 2)..<(start + 5)]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return code >= 100 ? code : nil
    }

    /// False if the line is not a header field. Only the offers of a 407 are stored.
    private mutating func readField() -> Bool {
        if line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") { return true }  // a folded value
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        if String(decoding: line[..<colon], as: UTF8.self).lowercased() == "proxy-authenticate" {
            let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            schemes.append(String(decoding: value.prefix { Self.isLetter($0) }.prefix(20), as: UTF8.self))
        }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// The first offered scheme; nil if Basic is offered.
    private var foreignScheme: String? {
        schemes.contains { $0.lowercased() == "basic" } ? nil : schemes.first { !$0.isEmpty }
    }
}
