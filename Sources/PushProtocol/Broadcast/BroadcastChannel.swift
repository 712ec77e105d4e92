/// A broadcast channel as APNs describes it.
public struct BroadcastChannel: Hashable, Sendable {
    /// Its id.
    public let id: ChannelID
    /// What it keeps for devices that are offline.
    public let storagePolicy: ChannelStoragePolicy
    /// What is broadcast over it; ``PushType/liveActivity`` is all there is.
    public let pushType: PushType

    /// Describes a channel.
    public init(id: ChannelID, storagePolicy: ChannelStoragePolicy, pushType: PushType = .liveActivity) {
        self.id = id
        self.storagePolicy = storagePolicy
        self.pushType = pushType
    }
}
