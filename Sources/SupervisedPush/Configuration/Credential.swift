/// Who you are to APNs: a signing key for provider tokens, or a provider certificate.
public struct Credential: Sendable, CustomStringConvertible, CustomReflectable {
    enum Kind: Sendable {
        case token(key: ByteSource, keyID: String?, teamID: String, sharedWindow: Bool)
        case tokens(TokenSource)
        case certificate(ByteSource, privateKey: ByteSource?, password: String?)
        case pkcs12(ByteSource, password: String?)
    }

    let kind: Kind

    /// Provider tokens (JWT, ES256), made and renewed by the library; one authority serves every connection of the same
    /// team and key.
    ///
    /// - Parameters:
    ///   - key: The `.p8` file from Apple's developer portal: PEM, PKCS#8, EC P-256, not encrypted.
    ///   - keyID: The key's ten characters. Omitted, they are taken from a file named `AuthKey_<id>.p8`.
    ///   - teamID: The team's ten characters.
    ///   - sharedWindow: Whether the time in a token is that of the last full half hour, so that several machines with
    ///     the same key make the same token at the same time, and APNs sees one. That takes OpenSSL 3.2 or newer, which
    ///     can sign the same bytes alike (RFC 6979); with an older one each machine's tokens differ all the same, and a
    ///     warning is logged. Default false: tokens bear the time they are made.
    public static func token(
        key: ByteSource, keyID: String? = nil, teamID: String, sharedWindow: Bool = false
    ) -> Self {
        Self(kind: .token(key: key, keyID: keyID, teamID: teamID, sharedWindow: sharedWindow))
    }

    /// Provider tokens from a source of your own: a service that signs for you, and keeps the key to itself.
    ///
    /// The source is asked while the connection dials, in the background when a token has been in use for 50 minutes,
    /// and after APNs refused one as expired; connections that need one at the same time share one call, the
    /// connections of a pool share the token. A token is taken as new when it is given: give one that is good for an
    /// hour, and give the same one to all callers within 20 minutes, because APNs takes no more. If the source throws,
    /// the connection goes on with the token it has; without one the attempt to connect has failed, as with
    /// ``ByteSource/loader(_:_:)``, and pushes wait.
    ///
    /// - Parameters:
    ///   - name: Where the tokens come from, for people. No secret.
    ///   - source: Gives a token. Of an error only the type is shown.
    public static func tokens(
        from name: String, _ source: @escaping @Sendable () async throws -> BearerToken
    ) -> Self {
        Self(kind: .tokens(TokenSource(name, source)))
    }

    /// A provider certificate, shown in the TLS handshake. PEM and DER are told apart by their content.
    ///
    /// The key must belong to the certificate, and the certificate be valid now and made for the environment; else
    /// `connect` refuses it before any network. Where neither push nor defaults name a topic, the certificate's subject
    /// UID is the topic; a push to a topic outside of the certificate's list is refused at the call.
    ///
    /// - Parameters:
    ///   - certificate: PEM: the certificate and any intermediates, and possibly the private key; or DER: the
    ///     certificate.
    ///   - privateKey: PEM or DER: PKCS#8, also encrypted, or the traditional forms of RSA and EC keys. nil where
    ///     `certificate` holds it.
    ///   - password: Of an encrypted private key; ignored if it is not encrypted.
    public static func certificate(
        _ certificate: ByteSource, privateKey: ByteSource? = nil, password: String? = nil
    ) -> Self {
        Self(kind: .certificate(certificate, privateKey: privateKey, password: password))
    }

    /// A provider certificate and its key from a PKCS#12 file (`.p12`, `.pfx`), as Keychain Access exports them;
    /// otherwise as ``certificate(_:privateKey:password:)``.
    ///
    /// Files encrypted with RC2 or 3DES, as Keychain Access and older programs write them, need OpenSSL's legacy
    /// provider (on newer Debian and Ubuntu the package `openssl-provider-legacy`). Only the file is read with it.
    ///
    /// - Parameters:
    ///   - file: The file, or its bytes.
    ///   - password: The file's; nil for one without.
    public static func pkcs12(_ file: ByteSource, password: String? = nil) -> Self {
        Self(kind: .pkcs12(file, password: password))
    }

    /// Whether it is shown in the TLS handshake, and no provider token is sent.
    var isCertificate: Bool {
        switch kind {
        case .token, .tokens: false
        case .certificate, .pkcs12: true
        }
    }

    /// What kind it is and where it comes from; no secret.
    public var description: String {
        switch kind {
        case .token(let key, let keyID, let teamID, _):
            "provider token, key \(keyID ?? "by name") (\(key)), team \(teamID)"
        case .tokens(let source): "provider tokens from \(source.name)"
        case .certificate(let certificate, _, _): "provider certificate (\(certificate))"
        case .pkcs12(let file, _): "provider certificate (PKCS#12, \(file))"
        }
    }

    /// Hides password and key from `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}
