/// What a connection process is sent.
enum ConnectionMessage: Sendable {
    /// The name is registered; dial.
    case start
    /// The intake holds pushes.
    case pushesWaiting
    /// A caller cancelled its push.
    case cancel(PushRecord)
    /// Send what can be sent by the deadline, then end.
    case close(deadline: MonotonicInstant)
    /// Give what waits to other connections of the pool.
    case spread
    /// Another connection of the pool learned something about the credential that all of them show.
    case credential(CredentialNews)
    /// Another credential is on offer, or was taken for the connection.
    case credentialOffered(CredentialOffer)
}
