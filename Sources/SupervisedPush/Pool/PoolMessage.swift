/// What a pool's process is sent.
enum PoolMessage: Sendable {
    /// The name is registered; start the connections.
    case start
    /// A connection is gone for good, everybody was answered.
    case memberEnded(ConnectionEntry, CredentialRefusal?)
    /// Pushes are called, and nobody watches the load.
    case busy
    case resize(ClosedRange<Int>)
    /// Its last connection has ended, and no other follows.
    case end(LifeEnd)
}
