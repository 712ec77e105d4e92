/// Which port the next attempt to connect goes to: the configured one, or, with the fallback on, 443 and 2197 in turn
/// for as long as attempts fail in a way that another port may mend. The one that a link came up on stays.
struct PortChoice: Sendable, Equatable {
    /// Where APNs listens besides 443, for networks whose firewall blocks or meddles with that.
    static let alternate = 2_197

    /// Of the next attempt.
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

    /// What a firewall in between can be the cause of. A name that cannot be resolved is none on any port; one that
    /// speaks HTTP/2 is reached.
    private static let mendable: Set<ErrorLayer> = [.connect, .proxy, .tls, .socket]
}
