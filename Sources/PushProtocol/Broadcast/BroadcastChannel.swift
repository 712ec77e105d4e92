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
