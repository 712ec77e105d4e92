extension RequestHead {
    /// Finds what APNs or HTTP/2 would refuse, before anything is sent. Lengths and characters only: it costs less than
    /// the copy of the payload.
    ///
    /// - Parameter requiresTopic: true with a provider token; with a certificate APNs can take the topic from it.
    package func check(_ payload: Payload, requiresTopic: Bool) throws(InvalidPush) {
        if payload.count == 0 { throw InvalidPush(.payloadEmpty) }
        let limit = maxPayloadBytes
        if payload.count > limit { throw InvalidPush(.payloadTooLarge, bytes: payload.count, limit: limit) }
        if let topic, !topic.rawValue.isEmpty {
            let length = topic.rawValue.utf8.count
            guard length <= Topic.maxBytes else {
                throw InvalidPush(.topicTooLong, bytes: length, limit: Topic.maxBytes)
            }
            guard HeaderRules.isVisibleASCII(topic.rawValue) else { throw InvalidPush(.invalidTopic) }
        } else if requiresTopic || topic != nil {
            throw InvalidPush(.topicMissing)
        }
        let length = pushType.rawValue.utf8.count
        guard length <= PushType.maxBytes else {
            throw InvalidPush(.pushTypeTooLong, bytes: length, limit: PushType.maxBytes)
        }
        guard HeaderRules.isVisibleASCII(pushType.rawValue) else { throw InvalidPush(.invalidPushType) }
        if let expires = expiration.headerValue, expires < 0 { throw InvalidPush(.invalidExpiration) }
    }

    /// The limit of the push type; also a topic that ends in `.voip` has the larger one.
    private var maxPayloadBytes: Int {
        topic?.rawValue.hasSuffix(PushType.voip.topicSuffix) == true
            ? PushType.voip.maxPayloadBytes : pushType.maxPayloadBytes
    }
}

extension PushNotification {
    /// Checks this notification as it would go out with these defaults: payload size, topic, header values.
    ///
    /// Every push is checked like this by itself; call it to find a mistake earlier.
    ///
    /// - Parameters:
    ///   - defaults: the connection's.
    ///   - requiresTopic: true, the default, for a provider token; false for a certificate, which can stand in.
    /// - Throws: `InvalidPush`, which names the rule and the limit.
    public func validate(
        defaults: RequestDefaults = RequestDefaults(), requiresTopic: Bool = true
    ) throws(InvalidPush) {
        // The address plays no part in any rule: an address is valid from its making.
        try RequestHead(self, to: .placeholder, defaults: defaults, apnsID: nil)
            .check(payload, requiresTopic: requiresTopic)
    }
}

extension DeviceToken {
    fileprivate static let placeholder = DeviceToken(trusted: "00")
}
