/// What a broadcast channel keeps for devices that are offline. It is fixed when the channel is created.
public struct ChannelStoragePolicy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number that is sent as `message-storage-policy`.
    public let rawValue: Int

    /// Takes any policy by its number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 0: nothing is kept. APNs lets such a channel broadcast more often; broadcasts to it take the expiration 0 only.
    public static let noStorage = ChannelStoragePolicy(rawValue: 0)
    /// 1: the newest broadcast is kept until it expires, for 8 hours at most.
    public static let mostRecentMessage = ChannelStoragePolicy(rawValue: 1)

    /// What is kept: `none`, `latest`, or the number of a policy that this version does not know.
    public var description: String {
        switch self {
        case .noStorage: "none"
        case .mostRecentMessage: "latest"
        default: String(rawValue)
        }
    }
}
