@_exported import struct FoundationEssentials.Date

/// What the simulator holds of one device token.
@nonexhaustive public enum DeviceState: Sendable, Hashable {
    /// Pushes are accepted: 200.
    case valid
    /// Pushes are accepted for this topic; for any other the answer is 400 `DeviceTokenNotForTopic`.
    case validOnly(topic: String)
    /// 410 `Unregistered` with this `timestamp`, sent in milliseconds. Nil, the default: the moment of the answer by the simulator's
    /// wall clock, as the next full second, so that every device that was registered before the push is one to remove.
    case unregistered(since: Date? = nil)
    /// 410 `ExpiredToken`, with a `timestamp` as for ``unregistered(since:)``.
    case expired(since: Date? = nil)
    /// 400 `BadDeviceToken`.
    case bad
    /// 400 `DeviceTokenNotForTopic`, whatever the topic.
    case wrongTopic
    /// 429 `TooManyRequests`.
    case tooManyRequests
}
