/// What is wrong with the TLS of a connection.
public enum TLSFault: String, Sendable, Hashable, CaseIterable {
    /// The server's certificate has expired.
    case expiredCertificate
    /// The server's certificate is good for another host.
    case wrongHost
    /// The server's certificate was issued by an authority nobody trusts.
    case untrustedAuthority
    /// A client certificate is refused with a TLS alert, whoever issued it; a provider without one is served.
    case refusedClientCertificate
    /// The server does not answer ALPN (RFC 7301), as one that knows no HTTP/2.
    case noALPN
    /// The server chooses `http/1.1` by ALPN, although it was not offered.
    case http1

    /// True where the authority must issue another certificate.
    var needsAuthorityKey: Bool { self == .expiredCertificate || self == .wrongHost }
}
