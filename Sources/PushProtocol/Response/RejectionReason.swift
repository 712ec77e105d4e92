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

/// What to do about a rejected push.
///
/// A struct, because more values may be added: a `switch` needs a `default`.
public struct RejectionAdvice: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// A label without values, suitable for metrics: `drop_token`.
    public let rawValue: String

    /// Creates an advice from its label.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Remove the device token from your records and do not push to it again.
    public static let dropToken = RejectionAdvice(rawValue: "drop_token")
    /// Correct the push. The same push would be rejected again.
    public static let fixRequest = RejectionAdvice(rawValue: "fix_request")
    /// Correct the credential or its configuration. Until then every push with it is rejected.
    public static let fixCredential = RejectionAdvice(rawValue: "fix_credential")
    /// Send the push again with a new provider token.
    public static let renewToken = RejectionAdvice(rawValue: "renew_token")
    /// Send the push again later, with increasing delays.
    public static let wait = RejectionAdvice(rawValue: "wait")
    /// Send the push again over a new connection.
    public static let reconnect = RejectionAdvice(rawValue: "reconnect")
    /// Remove the broadcast channel from your records.
    public static let forgetChannel = RejectionAdvice(rawValue: "forget_channel")

    /// The advice if the reason is unknown or missing.
    public init(status: Int) {
        self =
            switch status {
            case 401, 403: .fixCredential
            case 408, 425, 429, 500...: .wait
            case 410: .dropToken
            case 421: .reconnect
            default: .fixRequest
            }
    }

    /// The advice as a sentence.
    public var sentence: String {
        switch self {
        case .dropToken: "Remove the device token from your records and do not push to it again."
        case .fixRequest: "Correct the push; sent unchanged, it will be rejected again."
        case .fixCredential:
            "Correct the credential or its configuration; until then every push with it will be rejected."
        case .renewToken: "Send it again with a new provider token."
        case .wait: "Send it again later, with increasing delays."
        case .reconnect: "Send it again over a new connection."
        case .forgetChannel: "Remove the channel from your records and create a new one."
        default: "Look up the reason in Apple's documentation."
        }
    }

    /// The label.
    public var description: String { rawValue }
}
