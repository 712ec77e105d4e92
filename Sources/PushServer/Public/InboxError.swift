/// Why an inbox could not start.
public struct InboxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do, as a sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
