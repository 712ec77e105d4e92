import ProcessRuntime

/// What a connection process is sent.
enum ConnectionMessage: Sendable {
    /// The name is registered; dial.
    case start
    /// Pushes wait in the room.
    case look
    /// A caller cancelled its push.
    case cancel(PushRecord)
    /// Send what can be sent by the deadline, then end. `isLeaving`: others take what waits.
    case close(deadline: MonotonicInstant, isLeaving: Bool)
    /// Another connection of the name learned something of the credential that all of them show, or a push is to try
    /// it.
    case credential(CredentialNews)
    /// Another credential is on offer, or was taken for the connection.
    case credentialOffered(CredentialOffer)
}
