/// The header fields of requests that do not go to a device.
extension HeadTemplate {
    /// Passes the fields to the sink, `:path` first, as for a push to a device.
    func visit(_ route: RequestRoute, into sink: inout some FieldSink) {
        Self.visit(into: &sink, ":path", route.path, indexing: .incremental)
        // Many updates of a Live Activity go to the same channel.
        if let channel = route.channelID {
            Self.visit(into: &sink, "apns-channel-id", channel.text, indexing: .incremental)
        }
        guard route.action == .broadcast else { return }
        visitHeaders(&sink)
    }

    /// Checks what APNs or HTTP/2 would reject, before anything is sent.
    func check(_ route: RequestRoute, payloadBytes: Int) throws(InvalidPush) {
        if let problem = RequestRoute.problem(with: route.bundleID) { throw problem }
        guard route.action == .broadcast else { return }
        if payloadBytes == 0 { throw InvalidPush(.payloadEmpty) }
        if payloadBytes > maxPayloadBytes, !waived.contains(.payloadSize) {
            throw InvalidPush(.payloadTooLarge, bytes: payloadBytes, limit: maxPayloadBytes)
        }
        if !pushType.isLiveActivity, PushType.known.contains(pushType), !waived.contains(.content) {
            throw InvalidPush(.notLiveActivity)
        }
        if collapseID != nil, !waived.contains(.collapseID) { throw InvalidPush(.collapseIDInBroadcast) }
        if let problem { throw problem }
    }

    /// Checks the content by the rules of Live Activities. Broadcasts have their own rules for priority and expiration,
    /// and never start an activity.
    static func broadcastProblem(
        _ type: PushType, expiration: Expiration, facts: PayloadFacts, waived: PushRules
    ) -> InvalidPush? {
        let isActivity = type.isLiveActivity
        if isActivity, facts.contains(.start), !waived.contains(.content) { return InvalidPush(.startInBroadcast) }
        return TypeRules(
            type: .liveActivity, ownTopic: nil, topic: nil, priority: nil, expiration: expiration,
            facts: isActivity ? facts : [], waived: waived
        ).problem
    }
}
