/// The destination of a request that is not a push to a device: one of APNs' resources for broadcasts.
package struct RequestRoute: Hashable, Sendable {
    /// The purpose of the request.
    package enum Action: Hashable, Sendable {
        case broadcast, createChannel, readChannel, deleteChannel, listChannels
    }

    package let action: Action
    package let bundleID: String
    package let channelID: ChannelID?
    /// The value of `:path`.
    package let path: String

    private init(_ action: Action, bundleID: String, channelID: ChannelID?, path: String) {
        self.action = action
        self.bundleID = bundleID
        self.channelID = channelID
        self.path = path
    }

    /// The value of `:method`.
    package var method: String {
        switch action {
        case .broadcast, .createChannel: "POST"
        case .readChannel, .listChannels: "GET"
        case .deleteChannel: "DELETE"
        }
    }

    package static func broadcast(_ channel: ChannelID, bundleID: String) -> Self {
        Self(.broadcast, bundleID: bundleID, channelID: channel, path: "/4/broadcasts/apps/\(bundleID)")
    }
    package static func createChannel(_ bundleID: String) -> Self {
        Self(.createChannel, bundleID: bundleID, channelID: nil, path: "/1/apps/\(bundleID)/channels")
    }
    package static func readChannel(_ channel: ChannelID, bundleID: String) -> Self {
        Self(.readChannel, bundleID: bundleID, channelID: channel, path: "/1/apps/\(bundleID)/channels")
    }
    package static func deleteChannel(_ channel: ChannelID, bundleID: String) -> Self {
        Self(.deleteChannel, bundleID: bundleID, channelID: channel, path: "/1/apps/\(bundleID)/channels")
    }
    package static func listChannels(_ bundleID: String) -> Self {
        Self(.listChannels, bundleID: bundleID, channelID: nil, path: "/1/apps/\(bundleID)/all-channels")
    }

    /// The body of a request that creates a channel.
    package static func creation(_ policy: ChannelStoragePolicy) -> Payload {
        Payload(unchecked: Array(#"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#.utf8))
    }

    /// The largest payload of a broadcast in bytes.
    package static let maxBroadcastBytes = 5_120

    /// What is wrong with a bundle id in a path; nil if it is valid. Accepts only characters that a path contains
    /// unescaped (RFC 3986, section 2.3), because bundle ids have no others.
    package static func problem(with bundleID: String) -> InvalidPush? {
        let length = bundleID.utf8.count
        if length == 0 { return InvalidPush(.bundleIDMissing) }
        if length > Topic.maxBytes { return InvalidPush(.topicTooLong, bytes: length, limit: Topic.maxBytes) }
        return bundleID.utf8.allSatisfy(isUnreserved) ? nil : InvalidPush(.invalidBundleID)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

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
