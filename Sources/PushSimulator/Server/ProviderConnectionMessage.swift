/// The messages to a connection.
enum ProviderConnectionMessage: Sendable {
    /// The orders have changed.
    case ordersChanged
    case perform(Fault)
    /// Send this many held answers, or all.
    case release(Int?)
    /// Stop being mute.
    case speak
}
