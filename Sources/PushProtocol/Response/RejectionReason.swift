/// Why APNs rejected a push: the text it sent, with what is known about it.
///
/// A reason this version does not know is kept as it came; its `advice` is nil then, and `PushResponse.advice` goes by the
/// status. Apple documents `BadEnvironmentKeyIdInToken` where servers send `BadEnvironmentKeyInToken`: both are known.
public struct RejectionReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text as APNs sends it, `BadDeviceToken`.
    public let rawValue: String

    /// Takes any reason by its text.
    public init(rawValue: String) {
        // One page of Apple's prints this reason with a space.
        self.rawValue = rawValue == "Service Unavailable" ? "ServiceUnavailable" : rawValue
    }

    /// All reasons known to this version.
    public static var known: [RejectionReason] { RejectionReasonEntry.table.map(\.reason) }

    /// Whether this version knows the reason.
    public var isKnown: Bool { entry != nil }

    /// The HTTP status it usually comes with; nil for an unknown reason.
    public var usualStatus: Int? { entry?.status }

    /// What it means, as a sentence.
    public var meaning: String {
        entry?.meaning ?? "APNs gave a reason that this version does not know."
    }

    /// What kind of thing to do; nil for an unknown reason.
    public var advice: RejectionAdvice? { entry?.advice }

    /// What to do, as a sentence.
    public var remedy: String {
        entry?.remedy ?? "Look up the reason in Apple's documentation."
    }

    /// The text as APNs sends it.
    public var description: String { rawValue }

    private var entry: RejectionReasonEntry? { RejectionReasonEntry.byReason[self] }
}
