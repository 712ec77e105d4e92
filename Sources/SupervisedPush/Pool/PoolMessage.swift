/// The messages of a pool's process.
enum PoolMessage: Sendable {
    /// The name is registered; start the connections.
    case start
    /// A connection has ended, and all its callers have their outcomes.
    case memberEnded(ConnectionEntry, CredentialRefusal?)
    /// Pushes are called, and loads are not being checked.
    case busy
    case resize(ClosedRange<Int>)
    /// Its last connection has ended, and no other follows.
    case end(LifeEnd)
}
