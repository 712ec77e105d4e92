/// Which certificate authorities a connection trusts. Verification cannot be switched off: a test trusts its own CA.
///
/// ```swift
/// config.trust = .system.adding(.file("company-ca.pem"))
/// config.trust = .system.pinning([try SPKIPin("sha256/…"), try SPKIPin("sha256/…")], reportOnly: true)
/// ```
public struct TrustRoots: Sendable {
    /// Pinned keys, and what becomes of a server without them.
    struct Pinning {
        let pins: [SPKIPin]
        let isReportOnly: Bool
    }

    /// The bundle in place of the system's store, if there is one.
    let bundle: ByteSource?
    /// Bundles beside it.
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

    /// These authorities and, beside them, those in a further bundle: PEM, or one certificate in DER. May be repeated, 100
    /// times at most.
    public func adding(_ bundle: ByteSource) -> Self {
        var copy = self
        copy.additional.append(bundle)
        return copy
    }

    /// Trusts, of all servers whose chain is verified, only those with one of these keys anywhere in the chain, the root
    /// included.
    ///
    /// A server without any is refused in the handshake, before it sees a client certificate; the error lists the keys it
    /// has. Pin more than one key – the next one, or your authority's – or a change of keys locks you out: so begin with
    /// `reportOnly`. A later call replaces an earlier one.
    ///
    /// - Parameters:
    ///   - pins: one or more; `connect` refuses an empty list.
    ///   - reportOnly: whether the connection goes on all the same, a warning is logged, and
    ///     ``ConnectionObserver/pinMismatch(_:link:keys:)`` tells.
    public func pinning(_ pins: [SPKIPin], reportOnly: Bool = false) -> Self {
        var copy = self
        copy.pinning = Pinning(pins: pins, isReportOnly: reportOnly)
        return copy
    }

    /// What makes no sense; nil if all does.
    var problem: String? {
        if additional.count > 100 { return "trust has more than 100 additional bundles: put them into one." }
        guard let pinning, pinning.pins.isEmpty else { return nil }
        return "trust pins no key at all, which no server could have: give a pin, or leave pinning out."
    }
}
