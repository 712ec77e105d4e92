/// Whom a request goes to: what has an order of its own, and is throttled by itself.
enum Recipient: Hashable, Sendable {
    case device(DeviceToken)
    case channel(ChannelID)
    /// The management of channels, as a whole.
    case management
}
