import FoundationEssentials

// The text of `localizedDescription`, which Foundation gives to every error, is the sentence of `description`.

extension InboxError: LocalizedError {
    /// The sentence of `description`.
    public var errorDescription: String? { description }
}
