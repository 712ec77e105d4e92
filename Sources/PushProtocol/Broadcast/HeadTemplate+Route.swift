/// The fields of requests that go to no device.
extension HeadTemplate {
    /// Hands the fields to the sink; `:path` first, as for a push to a device.
    func visit(_ route: RequestRoute, _ sink: inout some FieldSink) {
        Self.visit(&sink, ":path", route.path, .incremental)
        // Updates of one Live Activity go to one channel again and again.
        if let channel = route.channelID { Self.visit(&sink, "apns-channel-id", channel.text, .incremental) }
        guard route.action == .broadcast else { return }
        visitHeaders(&sink)
    }

    /// Finds what APNs or HTTP/2 would refuse, before anything is sent.
    func check(_ route: RequestRoute, _ payload: Payload) throws(InvalidPush) {
        if let problem = RequestRoute.problem(with: route.bundleID) { throw problem }
        guard route.action == .broadcast else { return }
        if payload.count == 0 { throw InvalidPush(.payloadEmpty) }
        if payload.count > maxPayloadBytes, !waived.contains(.payloadSize) {
            throw InvalidPush(.payloadTooLarge, bytes: payload.count, limit: maxPayloadBytes)
        }
        if !pushType.isLiveActivity, PushType.known.contains(pushType), !waived.contains(.content) {
            throw InvalidPush(.notLiveActivity)
        }
        if collapseID != nil, !waived.contains(.collapseID) { throw InvalidPush(.collapseIDInBroadcast) }
        if let problem { throw problem }
    }

    /// What the rules of Live Activities say of the content. Priority and expiration have rules of their own here, and a
    /// broadcast never starts an activity.
    static func broadcastProblem(_ type: PushType, _ facts: PayloadFacts, _ waived: PushRules) -> InvalidPush? {
        guard type.isLiveActivity else { return nil }
        if facts.contains(.start), !waived.contains(.content) { return InvalidPush(.startInBroadcast) }
        return TypeRules(
            type: .liveActivity, ownTopic: nil, priority: nil, expiration: .immediately, facts: facts, waived: waived
        ).problem
    }
}
