/// What a connection can be told from outside.
enum ProviderConnectionMessage: Sendable {
    /// What is in force has changed.
    case ordersChanged
    case perform(Fault)
    /// Give so many answers that were held back, or all.
    case release(Int?)
    /// Stop being mute.
    case speak
}
