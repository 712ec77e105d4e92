import PushTransport

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
