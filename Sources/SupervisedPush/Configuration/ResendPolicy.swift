/// What a connection sends again by itself, without asking the caller.
public struct ResendPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The policy's name.
    public let description: String

    /// What APNs certainly did not process, in its place in call order, within its deadline, 20 times at most. A
    /// duplicate cannot come of it. The default.
    public static let unprocessed = Self(description: "unprocessed")
    /// Nothing: each push is written once, and what was not processed ends with the error `unprocessed`.
    public static let never = Self(description: "never")
}
