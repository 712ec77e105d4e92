/// Which certificate authorities a connection trusts. Verification cannot be switched off: a test trusts its own CA.
public struct TrustRoots: Sendable {
    /// The bundle in place of the system's store, if there is one.
    let bundle: ByteSource?

    /// The system's store.
    public static let system = Self(bundle: nil)

    /// Only the authorities in a PEM file.
    public static func file(_ path: String) -> Self { Self(bundle: .file(path)) }

    /// Only the authorities in this PEM text.
    public static func pem(_ text: String) -> Self { Self(bundle: .pem(text)) }
}
