/// A push that would break a rule of APNs or of HTTP/2, found before anything was sent.
///
/// It says which rule and which limit, and repeats nothing of the push, so it may be logged.
public struct InvalidPush: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule was broken. More may come, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// A label without values, fit for metrics: `payload_too_large`.
        public let rawValue: String

        /// Takes a code by its label.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no payload.
        public static let payloadEmpty = Code(rawValue: "payload_empty")
        /// The payload is over the limit of its push type.
        public static let payloadTooLarge = Code(rawValue: "payload_too_large")
        /// The payload is not one JSON object in UTF-8.
        public static let payloadNotJSON = Code(rawValue: "payload_not_json")
        /// A custom value is named `aps`.
        public static let customKeyReserved = Code(rawValue: "custom_key_reserved")
        /// A custom number is infinite or not a number.
        public static let customValueNotFinite = Code(rawValue: "custom_value_not_finite")
        /// With a provider token every push needs a topic.
        public static let topicMissing = Code(rawValue: "topic_missing")
        /// The topic is longer than any topic is.
        public static let topicTooLong = Code(rawValue: "topic_too_long")
        /// The topic has a character that no topic has.
        public static let invalidTopic = Code(rawValue: "invalid_topic")
        /// The push type is longer than any push type is.
        public static let pushTypeTooLong = Code(rawValue: "push_type_too_long")
        /// The push type has a character that no push type has.
        public static let invalidPushType = Code(rawValue: "invalid_push_type")
        /// The expiration lies before 1970.
        public static let invalidExpiration = Code(rawValue: "invalid_expiration")
        /// The collapse id is over 64 bytes.
        public static let collapseIDTooLong = Code(rawValue: "collapse_id_too_long")
        /// The collapse id is empty or has characters that a header cannot carry.
        public static let invalidCollapseID = Code(rawValue: "invalid_collapse_id")
        /// The provider token of the caller is longer than any JWT of APNs.
        public static let authorizationTooLong = Code(rawValue: "authorization_too_long")
        /// The provider token of the caller is not a JWT alone.
        public static let invalidAuthorization = Code(rawValue: "invalid_authorization")

        /// The label.
        public var description: String { rawValue }
    }

    /// Which rule was broken.
    public let code: Code
    /// The size that was found, in bytes, where the rule is about a size.
    public let bytes: Int?
    /// The largest size permitted, in bytes, where the rule is about a size.
    public let limit: Int?

    package init(_ code: Code, bytes: Int? = nil, limit: Int? = nil) {
        self.code = code
        self.bytes = bytes
        self.limit = limit
    }

    /// What is wrong and what to do, in one sentence.
    public var description: String {
        switch code {
        case .payloadEmpty: "the payload is empty: APNs needs a JSON object"
        case .payloadTooLarge:
            "the payload has \(bytes ?? 0) bytes, and APNs takes \(limit ?? 0) for this push type: shorten it"
        case .payloadNotJSON: "the payload is not JSON: it must be one object in UTF-8"
        case .customKeyReserved: "a custom value is named aps, which APNs keeps for itself: choose another name"
        case .customValueNotFinite: "a custom value is an infinite number or none at all, which JSON cannot hold"
        case .topicMissing:
            "the push has no topic: with a provider token, set one for the push or in the connection's defaults"
        case .topicTooLong:
            "the topic has \(bytes ?? 0) bytes, and no topic has more than \(limit ?? 0): use the app's bundle id"
        case .invalidTopic: "the topic has characters other than visible ASCII: use the app's bundle id"
        case .pushTypeTooLong:
            "the push type has \(bytes ?? 0) bytes, and no push type has more than \(limit ?? 0)"
        case .invalidPushType: "the push type has characters other than visible ASCII"
        case .invalidExpiration: "the expiration lies before 1970: give seconds since 1970 UTC, or 0 for one attempt"
        case .collapseIDTooLong:
            "the collapse id has \(bytes ?? 0) bytes, and APNs takes \(limit ?? 0): shorten or hash it"
        case .invalidCollapseID:
            "the collapse id is empty, has control characters, or has a space at an end, which no header can carry"
        case .authorizationTooLong:
            "the provider token has \(bytes ?? 0) bytes, and no JWT of APNs has more than \(limit ?? 0): give the JWT alone"
        case .invalidAuthorization:
            "the provider token is not a JWT: give its three parts alone, without bearer, spaces or line breaks"
        default: "the push breaks the rule \(code)"
        }
    }
}
