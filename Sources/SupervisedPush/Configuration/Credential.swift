/// How you authenticate to APNs: with a signing key for provider tokens, or with a provider certificate.
public struct Credential: Sendable, CustomStringConvertible, CustomReflectable {
    enum Kind: Sendable {
        case token(key: ByteSource, keyID: String?, teamID: String, sharedWindow: Bool)
        case tokens(TokenSource)
        case certificate(ByteSource, privateKey: ByteSource?, password: String?)
        case pkcs12(ByteSource, password: String?)
    }

    let kind: Kind

    /// Provider tokens (JWT, ES256). The library makes and renews them; all connections of a team and key share one
    /// authority.
    ///
    /// - Parameters:
    ///   - key: The `.p8` file from Apple's developer portal: PEM, PKCS#8, EC P-256, not encrypted.
    ///   - keyID: The key's ten characters. If omitted, they come from the name of a file `AuthKey_<id>.p8`.
    ///   - teamID: The team's ten characters.
    ///   - sharedWindow: Whether a token's time is that of the last full half hour. Several machines with the same key
    ///     then make the same token at the same time, and APNs sees one. That needs OpenSSL 3.2 or newer, which can
    ///     sign deterministically (RFC 6979); with an older version the machines' tokens differ, and a warning is
    ///     logged. Default false: a token's time is the time it is made.
    public static func token(
        key: ByteSource, keyID: String? = nil, teamID: String, sharedWindow: Bool = false
    ) -> Self {
        Self(kind: .token(key: key, keyID: keyID, teamID: teamID, sharedWindow: sharedWindow))
    }

    /// Provider tokens from a source of your own, for example a service that signs for you and keeps the key.
    ///
    /// The source is called while the connection dials, in the background when a token has been in use for 50 minutes,
    /// and after APNs refused a token as expired. Connections that need a token at the same time share one call, and
    /// the connections of a pool share the token.
    ///
    /// A token counts as new when the source returns it. Return tokens that are valid for an hour, and return the same
    /// token to all callers within 20 minutes, because APNs accepts no more. If the source throws, the connection
    /// continues with the token it has; without one, the attempt to connect has failed, as with
    /// ``ByteSource/loader(_:_:)-(_,()->[UInt8])``, and pushes wait.
    ///
    /// - Parameters:
    ///   - name: A readable name of the tokens' origin. No secret.
    ///   - source: Returns a token. Of its errors, only the type is shown.
    public static func tokens(
        from name: String, _ source: @escaping @Sendable () async throws -> BearerToken
    ) -> Self {
        Self(kind: .tokens(TokenSource(name, make: source)))
    }

    /// A provider certificate, sent in the TLS handshake. PEM and DER are recognized by their content.
    ///
    /// The key must belong to the certificate, and the certificate must be valid now and made for the environment;
    /// otherwise `connect` refuses it before it uses the network. If neither the push nor the defaults set a topic, the
    /// certificate's subject UID is the topic. The call refuses a push to a topic that is not in the certificate's
    /// list.
    ///
    /// - Parameters:
    ///   - certificate: PEM: the certificate, any intermediates and optionally the private key. Or DER: the
    ///     certificate.
    ///   - privateKey: PEM or DER: PKCS#8, also encrypted, or the traditional forms of RSA and EC keys. Nil if
    ///     `certificate` contains it.
    ///   - password: The password of an encrypted private key. Ignored if the key is not encrypted.
    public static func certificate(
        _ certificate: ByteSource, privateKey: ByteSource? = nil, password: String? = nil
    ) -> Self {
        Self(kind: .certificate(certificate, privateKey: privateKey, password: password))
    }

    /// A provider certificate and its key from a PKCS#12 file (`.p12`, `.pfx`), as Keychain Access exports them.
    /// Otherwise as ``certificate(_:privateKey:password:)``.
    ///
    /// Keychain Access and older programs encrypt with RC2 or 3DES. Such files need OpenSSL's legacy provider (on newer
    /// Debian and Ubuntu the package `openssl-provider-legacy`), which is used to read the file and for nothing else.
    ///
    /// - Parameters:
    ///   - file: The file, or its bytes.
    ///   - password: The file's password; nil if it has none.
    public static func pkcs12(_ file: ByteSource, password: String? = nil) -> Self {
        Self(kind: .pkcs12(file, password: password))
    }

    /// Whether it is sent in the TLS handshake; no provider token is sent then.
    var isCertificate: Bool {
        switch kind {
        case .token, .tokens: false
        case .certificate, .pkcs12: true
        }
    }

    /// Its kind and origin; no secret.
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

/// Returns provider tokens that are made elsewhere.
final class TokenSource: Sendable {
    /// A readable name of the tokens' origin.
    let name: String
    let make: @Sendable () async throws -> BearerToken

    init(_ name: String, make: @escaping @Sendable () async throws -> BearerToken) {
        self.name = name
        self.make = make
    }
}
