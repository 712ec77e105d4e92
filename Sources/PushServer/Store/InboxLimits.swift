/// How much an inbox keeps. The oldest pushes make room for new ones.
public struct InboxLimits: Sendable, Hashable {
    /// How many pushes. 100,000 by default, at least 1.
    public var pushes = 100_000
    /// How many bytes, about. 256 MiB by default. The newest push is always kept.
    public var bytes = 256 << 20
    /// How old a push may be. Nil, the default, is no limit.
    public var age: Duration?
    /// How many readers of the event stream there may be at once, and how many calls that wait for pushes. 100 of each
    /// by default. More get 503.
    public var readers = 100

    /// Creates the default limits.
    public init() {}
}
