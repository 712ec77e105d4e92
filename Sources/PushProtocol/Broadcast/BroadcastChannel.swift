/// A broadcast channel as APNs describes it.
public struct BroadcastChannel: Hashable, Sendable {
    /// The channel's id.
    public let id: ChannelID
    /// What the channel stores for devices that are offline.
    public let storagePolicy: ChannelStoragePolicy
    /// The push type of its broadcasts; always ``PushType/liveActivity`` today.
    public let pushType: PushType

    /// Creates a description of a channel.
    public init(id: ChannelID, storagePolicy: ChannelStoragePolicy, pushType: PushType = .liveActivity) {
        self.id = id
        self.storagePolicy = storagePolicy
        self.pushType = pushType
    }
}

/// What a broadcast channel stores for devices that are offline. Fixed when the channel is created.
public struct ChannelStoragePolicy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number sent as `message-storage-policy`.
    public let rawValue: Int

    /// Creates a policy from its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 0: nothing is stored. APNs lets such a channel broadcast more often; its broadcasts must have the expiration 0.
    public static let noStorage = ChannelStoragePolicy(rawValue: 0)
    /// 1: the latest broadcast is stored until it expires, for at most 8 hours.
    public static let mostRecentMessage = ChannelStoragePolicy(rawValue: 1)

    /// `none`, `latest`, or the number of a policy that this version does not know.
    public var description: String {
        switch self {
        case .noStorage: "none"
        case .mostRecentMessage: "latest"
        default: String(rawValue)
        }
    }
}

/// The answers of channel management, in bodies and headers. Members that this version does not know are ignored.
extension PushResponse {
    /// The id of a request that is not a push to a device, such as a broadcast. Either the id that was sent, or one
    /// that APNs made.
    public var requestID: APNSID? {
        headers.withFirstValue(of: "apns-request-id") { APNSID(utf8: $0) } ?? nil
    }

    /// The created channel; nil if the answer contains none.
    package var createdChannel: ChannelID? {
        headers["apns-channel-id"].flatMap { try? ChannelID($0) }
    }

    /// The channel in the body; nil if the body does not describe one.
    package func channel(_ id: ChannelID) -> BroadcastChannel? {
        guard let body = bodyJSON, let policy = body["message-storage-policy"]?.integerValue else { return nil }
        let type = body["push-type"]?.stringValue ?? PushType.liveActivity.rawValue
        return BroadcastChannel(
            id: id, storagePolicy: ChannelStoragePolicy(rawValue: policy),
            pushType: PushType(rawValue: type).isLiveActivity ? .liveActivity : PushType(rawValue: type))
    }

    /// How many channels the list in the body has; nil if the body is not a list.
    package var channelCount: Int? {
        guard case .array(let elements)? = bodyJSON?["channels"] else { return nil }
        return elements.count
    }

    /// The channels of the list in the body; nil if the body is not a list, or contains an invalid id.
    package var channels: [ChannelID]? {
        guard case .array(let elements)? = bodyJSON?["channels"] else { return nil }
        var channels: [ChannelID] = []
        channels.reserveCapacity(elements.count)
        for element in elements {
            guard let text = element.stringValue, let channel = try? ChannelID(text) else { return nil }
            channels.append(channel)
        }
        return channels
    }
}

extension PushType {
    /// Apple writes the push type of broadcasts in several ways, so compare without case.
    package var isLiveActivity: Bool { rawValue.lowercased() == PushType.liveActivity.rawValue }
}
