/// The conversation that asks a proxy for a tunnel, as a pure value: bytes in, bytes out, then up or failed.
protocol ProxyTunnel: Sendable {
    /// The first bytes to send, or an error if there is nothing valid to send.
    mutating func start() -> TunnelStep
    /// Handles bytes of the proxy. Not called after an outcome.
    mutating func receive(_ bytes: [UInt8]) -> TunnelStep
}

/// What to do after a message of the proxy.
struct TunnelStep: Equatable {
    enum Outcome: Equatable {
        /// The tunnel is open, and `rest` already came out of it.
        case up(rest: [UInt8])
        case failed(TransportError)
    }

    /// The bytes to send to the proxy.
    var bytes: [UInt8] = []
    /// Nil while more of the proxy's answer is needed.
    var outcome: Outcome?

    static func say(_ bytes: [UInt8]) -> TunnelStep { TunnelStep(bytes: bytes) }
    static func failed(_ error: TransportError) -> TunnelStep { TunnelStep(outcome: .failed(error)) }
    static let wait = TunnelStep()
}

extension ProxyServer {
    /// The tunnel protocol of this proxy, for `target`.
    func tunnel(to target: Endpoint) -> any ProxyTunnel {
        switch kind {
        case .http: HTTPConnectTunnel(to: target, through: self)
        case .socks5: SOCKS5Tunnel(to: target, through: self)
        }
    }
}
