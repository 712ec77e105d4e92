/// How full a connection is.
public struct ConnectionLoad: Sendable, Hashable {
    /// Pushes written and not answered.
    public let inFlight: Int
    /// Pushes that wait to be written for the first time, and answered ones whose completion has not returned.
    public let waiting: Int
    /// Pushes that were written before and wait to be sent again: after a lost link, GOAWAY, a refused stream, or an
    /// answer that is retried. They do not count against the limit.
    public let retrying: Int
    /// How many may wait.
    public let limit: Int
}
