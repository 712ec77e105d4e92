/// How one asks a proxy for a tunnel: bytes in, bytes out, then up or failed. Decided purely.
protocol ProxyTunnel: Sendable {
    /// What is said first, or why nothing can be said.
    mutating func start() -> TunnelStep
    /// Takes what the proxy said. After an outcome nothing more is fed.
    mutating func receive(_ bytes: [UInt8]) -> TunnelStep
}

/// What follows from what a proxy said.
struct TunnelStep: Equatable {
    enum Outcome: Equatable {
        /// The tunnel stands; these bytes came out of it already.
        case up(rest: [UInt8])
        case failed(TransportError)
    }

    /// What the proxy is told.
    var bytes: [UInt8] = []
    /// nil: its answer, or more of it, is awaited.
    var outcome: Outcome?

    static func say(_ bytes: [UInt8]) -> TunnelStep { TunnelStep(bytes: bytes) }
    static func failed(_ error: TransportError) -> TunnelStep { TunnelStep(outcome: .failed(error)) }
    static let wait = TunnelStep()
}

extension ProxyServer {
    /// The tunnel that this proxy makes to `target`.
    func tunnel(to target: Endpoint) -> any ProxyTunnel {
        switch kind {
        case .http: HTTPConnectTunnel(to: target, through: self)
        case .socks5: SOCKS5Tunnel(to: target, through: self)
        }
    }
}
