/// Why APNs rejected a push: the text it sent, with what is known about it.
///
/// A reason that this version does not know is kept as received. Its `advice` is nil, and `PushResponse.advice` then
/// depends on the status. Apple documents `BadEnvironmentKeyIdInToken`, but servers send `BadEnvironmentKeyInToken`:
/// both are known.
public struct RejectionReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text as APNs sends it, such as `BadDeviceToken`.
    public let rawValue: String

    /// Creates a reason from its text.
    public init(rawValue: String) {
        // One of Apple's pages prints this reason with a space.
        self.rawValue = rawValue == "Service Unavailable" ? "ServiceUnavailable" : rawValue
    }

    /// All reasons known to this version.
    public static var known: [RejectionReason] { RejectionReasonEntry.table.map(\.reason) }

    /// Whether this version knows the reason.
    public var isKnown: Bool { entry != nil }

    /// The HTTP status that usually comes with it; nil for an unknown reason.
    public var usualStatus: Int? { entry?.status }

    /// What it means, as a sentence.
    public var meaning: String {
        entry?.meaning ?? "APNs sent a reason that this version does not know."
    }

    /// What it is a judgement of; nil for an unknown reason.
    public var judges: PushResponse.Subject? { entry?.judges }

    /// What kind of action to take; nil for an unknown reason.
    public var advice: RejectionAdvice? { entry?.advice }

    /// What to do, as a sentence.
    public var remedy: String {
        entry?.remedy ?? "Look up the reason in Apple's documentation."
    }

    /// The text as APNs sends it.
    public var description: String { rawValue }

    private var entry: RejectionReasonEntry? { RejectionReasonEntry.byReason[self] }
}
