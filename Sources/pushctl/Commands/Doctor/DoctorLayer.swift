import PushCampaign

/// The layers between this machine and an accepted push, in the order of the walk.
enum DoctorLayer: String, Sendable, CaseIterable {
    /// The addresses of the host's name, or of the proxy's name if there is a proxy.
    case resolve
    /// TCP to these addresses.
    case connect
    /// The proxy's tunnel to the host.
    case proxy
    /// The handshake and the server's certificate.
    case tls
    /// The choice of HTTP/2.
    case alpn
    /// The server's first SETTINGS, which complete the link.
    case settings
    /// This machine's clock, compared with the server's.
    case clock
    /// Key or certificate: its files, and what the server says about it.
    case credential
    /// The app that receives pushes.
    case topic
    /// One push to a device that cannot exist.
    case push

    /// The layers that are decided while this one is tried. The push decides its own layer and the three before it.
    var decidedBefore: ArraySlice<DoctorLayer> {
        Self.allCases.prefix { $0 != (self == .push ? .clock : self) }
    }
}
