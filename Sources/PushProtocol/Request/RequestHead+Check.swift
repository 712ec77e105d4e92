extension RequestHead {
    /// Checks what APNs or HTTP/2 would reject, before anything is sent. The fields were checked when their template
    /// was made.
    ///
    /// - Parameter requiresTopic: True with a provider token. With a certificate, APNs can use its topic.
    package func check(payloadBytes: Int, requiresTopic: Bool) throws(InvalidPush) {
        if let route = template.route { return try template.check(route, payloadBytes: payloadBytes) }
        if payloadBytes == 0 { throw InvalidPush(.payloadEmpty) }
        let limit = template.maxPayloadBytes
        if payloadBytes > limit, !template.waived.contains(.payloadSize) {
            throw InvalidPush(.payloadTooLarge, bytes: payloadBytes, limit: limit)
        }
        if requiresTopic, template.topic == nil { throw InvalidPush(.topicMissing) }
        if let problem = template.problem { throw problem }
        // Without a provider token there is a certificate.
        if !requiresTopic, template.needsProviderToken {
            throw InvalidPush(.providerTokenNeeded, type: .location)
        }
    }
}

extension PushNotification {
    /// Checks this notification as it would be sent with these defaults: payload size, topic, header values, and the
    /// rules of its push type (``PushRules``).
    ///
    /// Every push is checked in this way; call it to find a mistake earlier.
    ///
    /// - Parameters:
    ///   - defaults: The connection's defaults.
    ///   - requiresTopic: True, the default, for a provider token; false for a certificate, which can supply the topic.
    /// - Throws: `InvalidPush` with the rule and the limit.
    public func validate(
        defaults: RequestDefaults = RequestDefaults(), requiresTopic: Bool = true
    ) throws(InvalidPush) {
        // The device token does not matter to any rule, because every `DeviceToken` is valid.
        try RequestHead(self, to: .placeholder, defaults: defaults, apnsID: nil)
            .check(payloadBytes: payloadBytes, requiresTopic: requiresTopic)
    }
}

extension DeviceToken {
    fileprivate static let placeholder = DeviceToken(trusted: "00")
}
