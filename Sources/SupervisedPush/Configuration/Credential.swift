/// Who you are to APNs: a signing key for provider tokens, or a provider certificate.
public struct Credential: Sendable, CustomStringConvertible, CustomReflectable {
    enum Kind: Sendable {
        case token(key: ByteSource, keyID: String?, teamID: String)
        case certificate(ByteSource, privateKey: ByteSource?, password: String?)
    }

    let kind: Kind

    /// Provider tokens (JWT, ES256), made and renewed by the library; one authority serves every connection of the same
    /// team and key.
    ///
    /// - Parameters:
    ///   - key: the `.p8` file from Apple's developer portal: PEM, PKCS#8, EC P-256, not encrypted.
    ///   - keyID: the key's ten characters. Omitted, they are taken from a file named `AuthKey_<id>.p8`.
    ///   - teamID: the team's ten characters.
    public static func token(key: ByteSource, keyID: String? = nil, teamID: String) -> Self {
        Self(kind: .token(key: key, keyID: keyID, teamID: teamID))
    }

    /// A provider certificate, shown in the TLS handshake.
    ///
    /// - Parameters:
    ///   - certificate: PEM: the certificate, then any intermediates; it may hold the private key too.
    ///   - privateKey: PEM; nil where `certificate` holds it.
    ///   - password: of an encrypted private key.
    public static func certificate(
        _ certificate: ByteSource, privateKey: ByteSource? = nil, password: String? = nil
    ) -> Self {
        Self(kind: .certificate(certificate, privateKey: privateKey, password: password))
    }

    /// What kind it is and where it comes from; no secret.
    public var description: String {
        switch kind {
        case .token(let key, let keyID, let teamID):
            "provider token, key \(keyID ?? "by name") (\(key)), team \(teamID)"
        case .certificate(let certificate, _, _): "provider certificate (\(certificate))"
        }
    }

    /// Hides password and key from `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
