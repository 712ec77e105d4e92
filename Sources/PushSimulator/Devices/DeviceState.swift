@_exported import struct FoundationEssentials.Date

/// The state of a device token, which determines the answer to a push.
@nonexhaustive public enum DeviceState: Sendable, Hashable {
    /// Pushes are accepted: 200.
    case valid
    /// Pushes for this topic are accepted. For any other topic, the answer is 400 `DeviceTokenNotForTopic`.
    case validOnly(topic: String)
    /// 410 `Unregistered` with this `timestamp`, sent in milliseconds. Nil, the default, is the next full second after
    /// the moment of the answer, by the simulator's wall clock. Every device that was registered before the push is
    /// then one to remove.
    case unregistered(since: Date? = nil)
    /// 410 `ExpiredToken`, with a `timestamp` as in ``unregistered(since:)``.
    case expired(since: Date? = nil)
    /// 400 `BadDeviceToken`.
    case bad
    /// 400 `DeviceTokenNotForTopic`, for every topic.
    case wrongTopic
    /// 429 `TooManyRequests`.
    case tooManyRequests
}
