/// A push that would break a rule of APNs or of HTTP/2, found before anything was sent.
///
/// It says which rule and which limit, and its description repeats nothing of the push, so that may be logged.
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
        /// The payload is not one JSON object in UTF-8, or nested deeper than 128 levels.
        public static let payloadNotJSON = Code(rawValue: "payload_not_json")
        /// A custom value is named `aps`.
        public static let customKeyReserved = Code(rawValue: "custom_key_reserved")
        /// A custom number is infinite or not a number.
        public static let customValueNotFinite = Code(rawValue: "custom_value_not_finite")
        /// The content beside `aps` cannot be encoded.
        public static let contentNotEncodable = Code(rawValue: "content_not_encodable")
        /// The content beside `aps` is encoded as something other than an object, or nested deeper than 128 levels.
        public static let contentNotObject = Code(rawValue: "content_not_object")
        /// The volume of a critical sound is not between 0 and 1.
        public static let volumeOutOfRange = Code(rawValue: "volume_out_of_range")
        /// The relevance score is not between 0 and 1, or is no number at all.
        public static let relevanceOutOfRange = Code(rawValue: "relevance_out_of_range")
        /// The payload lacks a key that its push type needs. Rule ``PushRules/content``.
        public static let keyMissing = Code(rawValue: "key_missing")
        /// A date of a Live Activity is in milliseconds. Rule ``PushRules/content``.
        public static let dateInMilliseconds = Code(rawValue: "date_in_milliseconds")
        /// A Live Activity that does not end has a dismissal date. Rule ``PushRules/content``.
        public static let dateMisplaced = Code(rawValue: "date_misplaced")
        /// The `aps` of a background push holds more than `content-available`. Rule ``PushRules/content``.
        public static let contentNotAlone = Code(rawValue: "content_not_alone")
        /// The push type does not permit the priority. Rule ``PushRules/priority``.
        public static let priorityNotPermitted = Code(rawValue: "priority_not_permitted")
        /// The push type does not permit the expiration. Rule ``PushRules/expiration``.
        public static let expirationNotPermitted = Code(rawValue: "expiration_not_permitted")
        /// The topic does not end as the push type wants it. Rule ``PushRules/topicSuffix``.
        public static let topicSuffixMissing = Code(rawValue: "topic_suffix_missing")
        /// The push type needs a provider token, and the connection has a certificate. Rule ``PushRules/credential``.
        public static let providerTokenNeeded = Code(rawValue: "provider_token_needed")
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
    /// The size that was found, in bytes, where the rule is about a size; of ``Code/tooManyHeaders`` the number of fields.
    public let bytes: Int?
    /// The largest size or number permitted, where the rule is about one.
    public let limit: Int?
    /// The push type whose rule it is, where it is one of a type.
    public let pushType: PushType?
    /// The key of the payload or the header field that the rule is about; of content that cannot be encoded the place, which may hold names of yours.
    public let key: String?

    package init(_ code: Code, bytes: Int? = nil, limit: Int? = nil, type: PushType? = nil, key: String? = nil) {
        self.code = code
        self.bytes = bytes
        self.limit = limit
        pushType = type
        self.key = key
    }

    /// The rule to waive if it is to be sent nevertheless; nil where nothing can be waived.
    public var rule: PushRules? {
        switch code {
        case .payloadTooLarge: .payloadSize
        case .keyMissing, .contentNotAlone, .startInBroadcast, .notLiveActivity, .dateInMilliseconds, .dateMisplaced:
            .content
        case .priorityNotPermitted: .priority
        case .expirationNotPermitted: .expiration
        case .topicSuffixMissing: .topicSuffix
        case .providerTokenNeeded: .credential
        case .collapseIDInBroadcast: .collapseID
        default: nil
        }
    }

    /// What is wrong and what to do, in one sentence.
    public var description: String {
        switch code {
        case .payloadEmpty: "the payload is empty: APNs needs a JSON object"
        case .payloadTooLarge:
            key == nil
                ? "the payload has \(bytes ?? 0) bytes, and APNs takes \(limit ?? 0) for this push type: shorten it; to send it "
                    + "nevertheless, waive the rule payload-size"
                : "the payload has \(bytes ?? 0) bytes, and cutting the body of its alert cannot make it fit \(limit ?? 0): shorten "
                    + "what else is in it"
        case .payloadNotJSON:
            "the payload is not JSON: it must be one object in UTF-8, nested at most \(Payload.maxDepth) levels deep"
        case .customKeyReserved: "a custom value is named aps, which APNs keeps for itself: choose another name"
        case .customValueNotFinite: "a custom value is an infinite number or none at all, which JSON cannot hold"
        case .contentNotEncodable:
            "the content cannot be encoded to JSON: see its encode(to:), and that its numbers are finite"
        case .contentNotObject:
            "the content is not encoded as a JSON object: give a type with members, or a dictionary with texts as keys, nested "
                + "at most \(Payload.maxDepth) levels deep"
        case .volumeOutOfRange: "the volume of the critical sound is outside of 0.0 to 1.0"
        case .relevanceOutOfRange:
            "the relevance score is outside of 0 to 1; for a Live Activity it is any finite number"
        case .keyMissing, .contentNotAlone, .priorityNotPermitted, .expirationNotPermitted, .topicSuffixMissing,
            .providerTokenNeeded, .dateInMilliseconds, .dateMisplaced:
            "\(typeSentence); to send it nevertheless, waive the rule \(ruleName)"
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
        default: code.broadcastSentence ?? headerSentence ?? "the push breaks the rule \(code)"
        }
    }

    private var ruleName: String { PushRules.names.first { $0.rule == rule }?.name ?? "" }

    private var typeSentence: String {
        let type = pushType ?? .alert
        return switch code {
        case .keyMissing: "a \(type) push needs \(key ?? "another key") \(type == .mdm ? "in its payload" : "in aps")"
        case .contentNotAlone:
            "a background push has content-available alone in aps, and this has more: use the type alert, or put it beside aps"
        case .dateInMilliseconds:
            "the \(key ?? "date") of a Live Activity is in milliseconds, and the system reads seconds since 1970: divide it by 1000"
        case .dateMisplaced:
            "dismissal-date goes with the event end, and this Live Activity goes on: leave it out, or set stale-date"
        case .priorityNotPermitted:
            "a \(type) push goes with the priority \((type.permittedPriorities ?? []).map(\.description).joined(separator: " or ")) only"
        case .expirationNotPermitted: "a \(type) push goes with the expiration 0 only"
        case .topicSuffixMissing:
            "the topic of a \(type) push ends with \(type.topicSuffix): add it, or leave the topic to the defaults, where it is added"
        default: "a \(type) push needs a provider token: the connection has a certificate"
        }
    }
}
