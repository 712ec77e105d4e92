import PushSimulator

/// Where an inbox listens: `127.0.0.1:8035`, `[::1]:0` or `localhost:0`.
package struct InboxAddress: Sendable, Hashable {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Nil unless the text is an address and a port.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard host == "localhost" || ServerName(String(host))?.isAddress == true else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Whether only this machine reaches it.
    package var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether only this machine reaches an address, which is an IP literal or `localhost`.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
