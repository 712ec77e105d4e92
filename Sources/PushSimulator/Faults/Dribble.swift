/// Bytes that come a few at a time.
public struct Dribble: Sendable, Hashable {
    /// How many come at once, 1 at least.
    public var bytes: Int
    /// How long it takes until the next come.
    public var interval: Duration

    /// So many bytes at once, one such piece each interval.
    public init(bytes: Int, every interval: Duration) {
        self.bytes = bytes
        self.interval = interval
    }
}
