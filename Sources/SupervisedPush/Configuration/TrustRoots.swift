import PushTransport

/// Which certificate authorities a connection trusts. Verification cannot be turned off: a test trusts its own CA.
///
/// ```swift
/// config.trust = .system.adding(.file("company-ca.pem"))
/// config.trust = .system.pinning([try SPKIPin("sha256/…"), try SPKIPin("sha256/…")], reportOnly: true)
/// ```
public struct TrustRoots: Sendable {
    /// Pinned keys, and how to treat a server without them.
    struct Pinning {
        let pins: [SPKIPin]
        let isReportOnly: Bool
    }

    /// The bundle that replaces the system's store, if any.
    let bundle: ByteSource?
    /// Bundles that are trusted in addition.
    private(set) var additional: [ByteSource] = []
    private(set) var pinning: Pinning?

    private init(bundle: ByteSource?) { self.bundle = bundle }

    /// The system's store.
    public static let system = Self(bundle: nil)

    /// Only the authorities in a bundle: PEM, or one certificate in DER.
    ///
    /// ``file(_:)`` and ``pem(_:)-(String)`` are short for `.pem(.file(path))` and `.pem(.pem(text))`.
    public static func pem(_ bundle: ByteSource) -> Self { Self(bundle: bundle) }

    /// Only the authorities in a file: PEM, or one certificate in DER.
    public static func file(_ path: String) -> Self { .pem(.file(path)) }

    /// Only the authorities in this PEM text.
    public static func pem(_ text: String) -> Self { .pem(.pem(text)) }

    /// These authorities and, in addition, those in another bundle: PEM, or one certificate in DER. May be called at
    /// most 100 times.
    public func adding(_ bundle: ByteSource) -> Self {
        var copy = self
        copy.additional.append(bundle)
        return copy
    }

    /// Trusts only servers whose verified chain contains one of these keys, the root included.
    ///
    /// A server without them is refused in the handshake, before it sees a client certificate; the error lists the keys
    /// it has. Pin more than one key – your authority's, or the next one – or a change of keys locks you out. Begin
    /// with `reportOnly`. A later call replaces an earlier one.
    ///
    /// - Parameters:
    ///   - pins: One or more keys; `connect` refuses an empty list.
    ///   - reportOnly: Whether to connect all the same, log a warning, and call
    ///     ``ConnectionObserver/pinMismatch(_:link:keys:)``.
    public func pinning(_ pins: [SPKIPin], reportOnly: Bool = false) -> Self {
        var copy = self
        copy.pinning = Pinning(pins: pins, isReportOnly: reportOnly)
        return copy
    }

    /// What is invalid; nil if nothing is.
    var problem: String? {
        if additional.count > 100 { return "trust has more than 100 additional bundles: put them into one." }
        guard let pinning, pinning.pins.isEmpty else { return nil }
        return "trust pins an empty list of keys, so every server would be refused: give a pin, or leave pinning out."
    }
}

/// A pinned key: the SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469). It stays the same as long as a server
/// or an authority keeps its key.
///
/// ```sh
/// openssl x509 -in ca.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
public struct SPKIPin: Sendable, Hashable, CustomStringConvertible {
    let pin: KeyPin

    init(_ pin: KeyPin) { self.pin = pin }

    /// Parses `sha256/` and the Base64 of the digest, or the Base64 alone.
    ///
    /// - Throws: ``ConnectError`` with the code `configuration` unless it is exactly the Base64 of 32 bytes.
    public init(_ text: String) throws(ConnectError) {
        guard let pin = KeyPin(text) else {
            throw ConnectError(
                .configuration,
                "The pin \"\(text.prefix(60))\" is not sha256/ and the Base64 of 32 bytes, 44 characters.")
        }
        self.pin = pin
    }

    /// The pin of the first certificate in a file, PEM or DER. Reads the file on the caller's thread.
    ///
    /// - Throws: ``ConnectError`` with the code `credential` if the file cannot be read or contains no certificate.
    public init(ofCertificate source: ByteSource) throws(ConnectError) {
        let bytes = try source.read("certificate")
        do {
            pin = try KeyPin(ofFirstCertificate: bytes)
        } catch {
            throw ConnectError(.credential, "The certificate can't be pinned: \(error)")
        }
    }

    /// `sha256/` and the Base64 of the digest. It is not a secret.
    public var description: String { "\(pin)" }
}
