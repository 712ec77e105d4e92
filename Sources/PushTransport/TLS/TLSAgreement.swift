/// What the two ends of a TLS connection agreed on.
package struct TLSAgreement: Sendable, Hashable {
    /// For example `TLSv1.3`.
    package let version: String
    /// The cipher suite by OpenSSL's name.
    package let cipher: String
    /// What the peer chose by ALPN; nil if nothing.
    package let applicationProtocol: String?
}
