import FoundationEssentials

// The text of `localizedDescription`, which Foundation gives to every error, is the sentence of `description`.

extension InvalidPush: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension InvalidDeviceToken: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension InvalidChannelID: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}
