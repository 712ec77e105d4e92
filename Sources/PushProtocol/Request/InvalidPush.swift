/// A push would break a rule of APNs or of HTTP/2. Found before anything was sent.
///
/// Contains the rule and the limit. The description repeats nothing of the push, so it may be logged.
public struct InvalidPush: Error, Hashable, Sendable, CustomStringConvertible {
    /// The broken rule. More may be added, so a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// A label without values, suitable for metrics: `payload_too_large`.
        public let rawValue: String

        /// Creates a code from its label.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The payload is empty.
        public static let payloadEmpty = Code(rawValue: "payload_empty")
        /// The payload exceeds the limit of its push type.
        public static let payloadTooLarge = Code(rawValue: "payload_too_large")
        /// The payload is not one JSON object in UTF-8, or is nested deeper than 128 levels.
        public static let payloadNotJSON = Code(rawValue: "payload_not_json")
        /// A custom value is named `aps`.
        public static let customKeyReserved = Code(rawValue: "custom_key_reserved")
        /// A custom number is infinite or not a number.
        public static let customValueNotFinite = Code(rawValue: "custom_value_not_finite")
        /// The content beside `aps` cannot be encoded.
        public static let contentNotEncodable = Code(rawValue: "content_not_encodable")
        /// The content beside `aps` is not encoded as an object, or is nested deeper than 128 levels.
        public static let contentNotObject = Code(rawValue: "content_not_object")
        /// The volume of a critical sound is not between 0 and 1.
        public static let volumeOutOfRange = Code(rawValue: "volume_out_of_range")
        /// The relevance score is not between 0 and 1, or is not a number.
        public static let relevanceOutOfRange = Code(rawValue: "relevance_out_of_range")
        /// The payload lacks a key that its push type requires. Rule ``PushRules/content``.
        public static let keyMissing = Code(rawValue: "key_missing")
        /// The payload of an alert is an empty `aps`, which shows nothing. Rule ``PushRules/content``.
        public static let contentMissing = Code(rawValue: "content_missing")
        /// A date of a Live Activity is in milliseconds. Rule ``PushRules/content``.
        public static let dateInMilliseconds = Code(rawValue: "date_in_milliseconds")
        /// A Live Activity that does not end has a dismissal date. Rule ``PushRules/content``.
        public static let dateMisplaced = Code(rawValue: "date_misplaced")
        /// The `aps` of a background push contains more than `content-available`, or that of an accessory push more than
        /// the answer. Rule ``PushRules/content``.
        public static let contentNotAlone = Code(rawValue: "content_not_alone")
        /// The push type does not permit the priority. Rule ``PushRules/priority``.
        public static let priorityNotPermitted = Code(rawValue: "priority_not_permitted")
        /// The push type does not permit the expiration. Rule ``PushRules/expiration``.
        public static let expirationNotPermitted = Code(rawValue: "expiration_not_permitted")
        /// The topic lacks the suffix of the push type. Rule ``PushRules/topicSuffix``.
        public static let topicSuffixMissing = Code(rawValue: "topic_suffix_missing")
        /// The topic ends with the suffix of another push type. Rule ``PushRules/topicSuffix``.
        public static let topicSuffixOfOtherType = Code(rawValue: "topic_suffix_of_other_type")
        /// The push type requires a provider token, but the connection has a certificate. Rule
        /// ``PushRules/credential``.
        public static let providerTokenNeeded = Code(rawValue: "provider_token_needed")
        /// The push has no topic, which a provider token requires.
        public static let topicMissing = Code(rawValue: "topic_missing")
        /// The topic is longer than any valid topic.
        public static let topicTooLong = Code(rawValue: "topic_too_long")
        /// The topic contains a character that topics cannot contain.
        public static let invalidTopic = Code(rawValue: "invalid_topic")
        /// The push type is longer than any valid push type.
        public static let pushTypeTooLong = Code(rawValue: "push_type_too_long")
        /// The push type contains a character that push types cannot contain.
        public static let invalidPushType = Code(rawValue: "invalid_push_type")
        /// The expiration is in milliseconds or finer. Rule ``PushRules/expiration``.
        public static let expirationInMilliseconds = Code(rawValue: "expiration_in_milliseconds")
        /// The expiration is before 1970.
        public static let invalidExpiration = Code(rawValue: "invalid_expiration")
        /// The collapse id is longer than 64 bytes.
        public static let collapseIDTooLong = Code(rawValue: "collapse_id_too_long")
        /// The collapse id is empty, or contains characters that a header cannot contain.
        public static let invalidCollapseID = Code(rawValue: "invalid_collapse_id")
        /// The caller's provider token is longer than any JWT of APNs.
        public static let authorizationTooLong = Code(rawValue: "authorization_too_long")
        /// The caller's provider token is not just a JWT.
        public static let invalidAuthorization = Code(rawValue: "invalid_authorization")

        /// The label.
        public var description: String { rawValue }
    }

    /// The broken rule.
    public let code: Code
    /// The actual size in bytes, if the rule limits a size; for ``Code/tooManyHeaders`` the number of fields.
    public let bytes: Int?
    /// The largest permitted size or number, if the rule has one.
    public let limit: Int?
    /// The push type, if the rule belongs to one.
    public let pushType: PushType?
    /// The payload key or header field that the rule is about. For content that cannot be encoded, the coding path,
    /// which may contain your own names.
    public let key: String?
    /// What a time was meant to be, if it is in another unit than seconds.
    let meant: MeantSeconds?

    package init(
        _ code: Code, bytes: Int? = nil, limit: Int? = nil, type: PushType? = nil, key: String? = nil,
        meant: MeantSeconds? = nil
    ) {
        self.code = code
        self.bytes = bytes
        self.limit = limit
        pushType = type
        self.key = key
        self.meant = meant
    }

    /// The rule to waive in order to send the push anyway; nil if it cannot be waived.
    public var rule: PushRules? {
        switch code {
        case .payloadTooLarge: .payloadSize
        case .keyMissing, .contentMissing, .contentNotAlone, .startInBroadcast, .notLiveActivity, .dateInMilliseconds,
            .dateMisplaced:
            .content
        case .priorityNotPermitted: .priority
        case .expirationNotPermitted, .expirationInMilliseconds: .expiration
        case .topicSuffixMissing, .topicSuffixOfOtherType: .topicSuffix
        case .providerTokenNeeded: .credential
        case .collapseIDInBroadcast: .collapseID
        default: nil
        }
    }

    /// A sentence that says what is wrong and what to do.
    public var description: String {
        switch code {
        case .payloadEmpty: "the payload is empty: APNs needs a JSON object"
        case .payloadTooLarge:
            key == nil
                ? "the payload has \(bytes ?? 0) bytes, but APNs accepts \(limit ?? 0) for this push type: shorten "
                    + "it; to send it anyway, waive the rule payload-size"
                : "the payload has \(bytes ?? 0) bytes, and cutting the body of its alert cannot make it fit "
                    + "\(limit ?? 0): shorten the rest of it"
        case .payloadNotJSON:
            "the payload is not JSON: it must be one object in UTF-8, nested at most \(Payload.maxDepth) levels deep"
        case .customKeyReserved: "a custom value is named aps, which APNs reserves: choose another name"
        case .customValueNotFinite: "a custom value is infinite or not a number, which JSON cannot represent"
        case .contentNotEncodable:
            "the content cannot be encoded to JSON: check its encode(to:), and that its numbers are finite"
        case .contentNotObject:
            "the content is not encoded as a JSON object: use a type with members, or a dictionary with strings as "
                + "keys, nested at most \(Payload.maxDepth) levels deep"
        case .volumeOutOfRange: "the volume of the critical sound is outside of 0.0 to 1.0"
        case .relevanceOutOfRange:
            "the relevance score is outside of 0 to 1; for a Live Activity it is any finite number"
        case .keyMissing, .contentMissing, .contentNotAlone, .priorityNotPermitted, .expirationNotPermitted,
            .topicSuffixMissing, .topicSuffixOfOtherType, .providerTokenNeeded, .dateInMilliseconds, .dateMisplaced,
            .expirationInMilliseconds:
            "\(typeSentence); to send it anyway, waive the rule \(ruleName)"
        case .topicMissing:
            "the push has no topic: with a provider token, set one for the push or in the connection's defaults"
        case .topicTooLong:
            "the topic has \(bytes ?? 0) bytes, but the limit is \(limit ?? 0): use the app's bundle id"
        case .invalidTopic: "the topic contains characters other than visible ASCII: use the app's bundle id"
        case .pushTypeTooLong:
            "the push type has \(bytes ?? 0) bytes, but the limit is \(limit ?? 0)"
        case .invalidPushType: "the push type contains characters other than visible ASCII"
        case .invalidExpiration: "the expiration is before 1970: use seconds since 1970 UTC, or 0 for one attempt"
        case .collapseIDTooLong:
            "the collapse id has \(bytes ?? 0) bytes, but APNs accepts \(limit ?? 0): shorten or hash it"
        case .invalidCollapseID:
            "the collapse id is empty, contains control characters, or starts or ends with a space, which a header "
                + "cannot contain"
        case .authorizationTooLong:
            "the provider token has \(bytes ?? 0) bytes, but no JWT of APNs has more than \(limit ?? 0): give only "
                + "the JWT"
        case .invalidAuthorization:
            "the provider token is not a JWT: give only its three parts, without bearer, spaces or line breaks"
        default: code.broadcastSentence ?? headerSentence ?? "the push breaks the rule \(code)"
        }
    }

    private var ruleName: String { PushRules.names.first { $0.rule == rule }?.name ?? "" }

    private var typeSentence: String {
        let type = pushType ?? .alert
        let push = "\(type == .alert || type == .accessory ? "an" : "a") \(type) push"
        return switch code {
        case .keyMissing where type == .accessory:
            "\(push) needs \(key ?? "another key") in aps, \(answerForm)"
        case .keyMissing: "\(push) needs \(key ?? "another key") \(type == .mdm ? "in its payload" : "in aps")"
        case .contentMissing:
            "an alert push must have something in its payload, and this has an empty aps: give a title, a body, a badge "
                + "or a sound"
        case .contentNotAlone where type == .accessory:
            "\(push) must contain only encryptedData, sessionIdentifier, keyID and messageIndex in aps, and this has "
                + "more: leave it out"
        case .contentNotAlone:
            "a background push must contain only content-available in aps, and this has more: use the type alert, "
                + "or put it beside aps"
        case .dateInMilliseconds:
            "the \(key ?? "date") of a Live Activity is in \(meant?.unit ?? "milliseconds"), but the system expects "
                + "seconds since 1970: \(meant.map { "give \($0.seconds)" } ?? "divide it by 1000")"
        case .expirationInMilliseconds:
            "the expiration is in \(meant?.unit ?? "milliseconds"), but APNs expects seconds since 1970: give "
                + "\(meant?.seconds ?? 0)"
        case .dateMisplaced:
            "dismissal-date is for the event end, but this Live Activity continues: leave it out, or set stale-date"
        case .priorityNotPermitted:
            "\(push) must have the priority "
                + "\((type.permittedPriorities ?? []).map(\.description).joined(separator: " or "))"
        case .expirationNotPermitted: "\(push) must have the expiration 0"
        case .topicSuffixMissing:
            "the topic of \(push) must end with \(type.topicSuffix): add it, or use the default topic, where "
                + "it is added"
        case .topicSuffixOfOtherType:
            "the topic of \(push) ends with \(key ?? "the suffix of another push type"), which is for another push "
                + "type: remove it, or set that push type"
        default: "\(push) needs a provider token, but the connection has a certificate"
        }
    }

    private var answerForm: String {
        switch key {
        case "messageIndex": "a number as a string"
        case "sessionIdentifier": "a string"
        default: "in base64"
        }
    }
}
