/// How full a connection is.
public struct ConnectionLoad: Sendable, Hashable {
    /// Pushes written and not answered.
    public let inFlight: Int
    /// Pushes that wait to be written, and answered ones whose completion has not returned.
    public let waiting: Int
    /// How many may wait.
    public let limit: Int
}
