/// The port of the next attempt to connect: the configured one or, with the fallback on, 443 and 2197 in turn while
/// attempts fail in a way that another port may avoid. The port on which a link came up is kept.
struct PortChoice: Sendable, Equatable {
    /// APNs' second port, for networks whose firewall blocks 443 or interferes with it.
    static let alternate = 2_197

    /// The port of the next attempt.
    private(set) var port: Int
    private var other: Int?

    init(_ port: Int, fallsBack: Bool) {
        self.port = port
        other = fallsBack ? Self.alternate : nil
    }

    /// An attempt to connect to `port` failed in this layer.
    mutating func failed(in layer: ErrorLayer) {
        guard let other, Self.mendable.contains(layer) else { return }
        (port, self.other) = (other, port)
    }

    /// Failures that a firewall can cause. A name that cannot be resolved fails on every port; a host that speaks
    /// HTTP/2 has been reached.
    private static let mendable: Set<ErrorLayer> = [.connect, .proxy, .tls, .socket]
}
