import FoundationEssentials

// The text of `localizedDescription`, which Foundation gives to every error, is the sentence of `description`.

extension QueueError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}

extension EnqueueError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}
