import FoundationEssentials

/// A notification as JSON that a job queue can keep:
///
/// ```json
/// {
///   "payload": "{\"aps\":{\"alert\":{\"title\":\"Flight A998\",\"body\":\"Boarding\"}}}",
///   "pushType": "alert", "topic": "com.example.app", "priority": 10, "expiration": 1900000000,
///   "collapseID": "A998", "apnsID": "generated", "waived": ["priority"],
///   "headers": [{"name": "apns-tomorrow", "value": "1"}], "timeoutSeconds": 10
/// }
/// ```
/// Only `payload` is always there. It is the text of the JSON, so that it is sent byte for byte as it was made. The
/// expiration is a number of seconds since 1970 UTC, 0, or `"byServer"`; the apns-id is an id, `"generated"` or
/// `"byServer"`. A payload made with ``Payload/init(unchecked:)`` is `{"unchecked": "…"}`, in base64. Names of later
/// versions are ignored.
extension PushNotification: Codable {
    private enum CodingKeys: String, CodingKey {
        case payload, pushType, topic, priority, expiration, collapseID, apnsID, waived, headers, timeoutSeconds
    }

    /// Encodes the payload and what is set.
    ///
    /// - Throws: `EncodingError` if the notification has its own provider token: that is a secret, which APNs accepts
    ///   for an hour at most. Set ``authorization`` to nil first, and again after decoding.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        if let authorization {
            throw EncodingError.invalidValue(
                authorization,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "the notification has its own provider token, which is a secret and valid for an "
                        + "hour at most: set authorization to nil before it is encoded"))
        }
        try values.encode(payload, forKey: .payload)
        try values.encodeIfPresent(pushType, forKey: .pushType)
        try values.encodeIfPresent(topic, forKey: .topic)
        try values.encodeIfPresent(priority, forKey: .priority)
        try values.encodeIfPresent(expiration, forKey: .expiration)
        try values.encodeIfPresent(collapseID, forKey: .collapseID)
        try values.encodeIfPresent(apnsID, forKey: .apnsID)
        if !waived.isEmpty { try values.encode(waived, forKey: .waived) }
        if !headers.isEmpty { try values.encode(headers, forKey: .headers) }
        try values.encodeIfPresent(timeout.map { $0 / .seconds(1) }, forKey: .timeoutSeconds)
    }

    /// Decodes a notification. Its values are checked as their initializers do, its rules when it is pushed.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        var timeout: Duration?
        if let seconds = try values.decodeIfPresent(Double.self, forKey: .timeoutSeconds) {
            guard abs(seconds) < 1e12 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .timeoutSeconds, in: values, debugDescription: "the timeout is longer than any push waits")
            }
            // As nanoseconds, so that 0.1 is a tenth again.
            timeout =
                .seconds(Int64(seconds))
                + .nanoseconds(Int64(((seconds - seconds.rounded(.towardZero)) * 1e9).rounded()))
        }
        self.init(
            payload: try values.decode(Payload.self, forKey: .payload),
            pushType: try values.decodeIfPresent(PushType.self, forKey: .pushType),
            topic: try values.decodeIfPresent(Topic.self, forKey: .topic),
            priority: try values.decodeIfPresent(PushPriority.self, forKey: .priority),
            expiration: try values.decodeIfPresent(Expiration.self, forKey: .expiration),
            collapseID: try values.decodeIfPresent(CollapseID.self, forKey: .collapseID),
            apnsID: try values.decodeIfPresent(APNSIDPolicy.self, forKey: .apnsID), timeout: timeout)
        if let rules = try values.decodeIfPresent(PushRules.self, forKey: .waived) { waived = rules }
        if let fields = try values.decodeIfPresent(RequestHeaders.self, forKey: .headers) { headers = fields }
    }
}

/// A push as JSON: `{"deviceToken": "a1b2…", "notification": {…}}`. The context is not encoded.
extension Push: Codable {
    private enum CodingKeys: String, CodingKey { case deviceToken, notification }

    /// Encodes the device token and the notification, but not the context.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(deviceToken, forKey: .deviceToken)
        try values.encode(notification, forKey: .notification)
    }

    /// Decodes a push, which then has no context.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(PushNotification.self, forKey: .notification),
            to: try values.decode(DeviceToken.self, forKey: .deviceToken))
    }
}

extension Payload: Codable {
    private enum CodingKeys: String, CodingKey { case unchecked }

    /// Encodes the JSON as one text; bytes that were not checked as `{"unchecked": "…"}`, in base64.
    public func encode(to encoder: any Encoder) throws {
        guard facts.contains(.known) else {
            var values = encoder.container(keyedBy: CodingKeys.self)
            return try values.encode(Data(bytes).base64EncodedString(), forKey: .unchecked)
        }
        try encoder.encode(String(decoding: bytes, as: UTF8.self))
    }

    /// Decodes the text of one JSON object, or unchecked bytes.
    public init(from decoder: any Decoder) throws {
        guard let values = try? decoder.container(keyedBy: CodingKeys.self) else {
            self = try decoder.value { try Payload(json: $0 as String) }
            return
        }
        guard let bytes = Data(base64Encoded: try values.decode(String.self, forKey: .unchecked)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .unchecked, in: values, debugDescription: "the payload is not base64")
        }
        self.init(unchecked: Array(bytes))
    }
}

extension PushRules: Codable {
    /// Encodes the names of the rules, such as `payload-size`, as in errors and in `pushctl send --waive`.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(Self.names.filter { contains($0.rule) }.map(\.name))
    }

    /// Decodes names of rules.
    public init(from decoder: any Decoder) throws {
        self = []
        var values = try decoder.unkeyedContainer()
        while !values.isAtEnd {
            let name = try values.decode(String.self)
            guard let rule = Self.names.first(where: { $0.name == name })?.rule else {
                throw DecodingError.dataCorruptedError(in: values, debugDescription: "there is no rule of this name")
            }
            formUnion(rule)
        }
    }
}

extension RequestHeaders: Codable {
    /// Encodes the fields in their order, each as `{"name": "…", "value": "…"}`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(fields) }

    /// Decodes fields. They are checked together with their push.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([Field].self).map { ($0.name, $0.value) })
    }
}
