import ProcessRuntime

/// The messages of a connection process.
enum ConnectionMessage: Sendable {
    /// The name is registered: dial.
    case start
    /// Pushes wait in the room.
    case pushesWait
    /// A caller cancelled its push.
    case cancel(PushRecord)
    /// Send what can be sent until the deadline, then end. `isLeaving`: other connections take the waiting pushes.
    case close(deadline: MonotonicInstant, isLeaving: Bool)
    /// News of the credential that all connections of the name share, or a push should probe it.
    case credential(CredentialNews)
    /// Another credential is offered, or was adopted for the connection.
    case credentialOffered(CredentialOffer)
}
