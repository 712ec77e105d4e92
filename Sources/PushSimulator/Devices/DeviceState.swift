/// What the simulator holds of one device token.
public enum DeviceState: Sendable, Hashable {
    /// Pushes are accepted: 200.
    case valid
    /// Pushes are accepted for this topic; for any other the answer is 400 `DeviceTokenNotForTopic`.
    case validOnly(topic: String)
    /// 410 `Unregistered` with this `timestamp`, in milliseconds since 1970.
    case unregistered(atMilliseconds: Int64)
    /// 410 `ExpiredToken` with this `timestamp`, in milliseconds since 1970.
    case expired(atMilliseconds: Int64)
    /// 400 `BadDeviceToken`.
    case bad
    /// 400 `DeviceTokenNotForTopic`, whatever the topic.
    case wrongTopic
    /// 429 `TooManyRequests`.
    case tooManyRequests
}
