/// What stands between this machine and an accepted push, in the order in which it is walked.
package enum DoctorLayer: String, Sendable, CaseIterable {
    /// The name's addresses: the host's, or the proxy's where there is one.
    case resolve
    /// TCP to these addresses.
    case connect
    /// The proxy's tunnel to the host.
    case proxy
    /// The handshake and the server's certificate.
    case tls
    /// The choice of HTTP/2.
    case alpn
    /// The server's first SETTINGS: from here on there is a link.
    case settings
    /// This machine's clock against the server's.
    case clock
    /// Key or certificate: its files, and what the server says of it.
    case credential
    /// The app that is pushed to.
    case topic
    /// One push to a device that cannot exist.
    case push
}
