/// A server by its host and its port, as a Sentinel or a cluster names it.
public struct RedisNode: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name or an IP literal, IPv6 without brackets.
    public var host: String
    /// The port.
    public var port: Int

    /// Makes a node of its parts.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// `HOST:PORT`, an IPv6 address in brackets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Reads an address that a server gave.
    ///
    /// - Returns: Nil if it cannot be one: another program may answer in the server's place.
    init?(givenHost host: String, port: Int) {
        let isHost = host.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, host != "?", host.utf8.count <= 255, isHost, 1...65_535 ~= port else { return nil }
        self.init(host: host, port: port)
    }
}
