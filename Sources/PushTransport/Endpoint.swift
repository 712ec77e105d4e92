/// A host and a port to connect to or to listen on.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name or an IP literal (IPv6 without brackets).
    package var host: String
    /// 0…65535; 0 asks a listener to pick a free one.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The host as it stands in a URI: an IPv6 literal in brackets (RFC 3986 section 3.2.2).
    package var uriHost: String { host.contains(":") ? "[\(host)]" : host }

    package var description: String { "\(uriHost):\(port)" }
}
