import FoundationEssentials

/// What a test waited for did not come within its time limit, which is measured in real time.
public struct TimeLimitExceeded: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What was waited for and how long, how things stood at the end, and what to do.
    public let description: String

    /// Same as ``description``.
    public var errorDescription: String? { description }
}
