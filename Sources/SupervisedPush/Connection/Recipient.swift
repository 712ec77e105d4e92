/// The target of a request: pushes to one recipient have an order, and are throttled together.
enum Recipient: Hashable, Sendable {
    case device(DeviceToken)
    case channel(ChannelID)
    /// The management of channels, as one recipient.
    case management
}
