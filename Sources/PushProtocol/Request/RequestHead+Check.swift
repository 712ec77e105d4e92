extension RequestHead {
    /// Finds what APNs or HTTP/2 would refuse, before anything is sent. The fields were looked at when their
    /// template was made.
    ///
    /// - Parameter requiresTopic: true with a provider token; with a certificate APNs can take the topic from it.
    package func check(_ payload: Payload, requiresTopic: Bool) throws(InvalidPush) {
        if let route = template.route { return try template.check(route, payload) }
        if payload.count == 0 { throw InvalidPush(.payloadEmpty) }
        let limit = template.maxPayloadBytes
        if payload.count > limit, !template.waived.contains(.payloadSize) {
            throw InvalidPush(.payloadTooLarge, bytes: payload.count, limit: limit)
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
    /// Checks this notification as it would go out with these defaults: payload size, topic, header values, and the rules
    /// of its push type (``PushRules``).
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
