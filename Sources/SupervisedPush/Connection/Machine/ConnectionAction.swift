/// What a connection machine wants done. The interpreter performs each; none needs a decision.
///
/// What is rare and large is behind a reference, so that the two actions of every push are small.
enum ConnectionAction {
    /// Open a link to this port: load what it shows, resolve, connect, TLS, SETTINGS. `refreshes`: the credential is
    /// refused, and one that has a loader is loaded again.
    case dial(LinkID, port: Int, refreshes: Bool)
    /// Write the push as this stream. `isFirst`: it was never written before.
    case submit(LinkID, stream: Int32, slot: Int32, PushRecord, PushStreamID, isFirst: Bool)
    /// Give the push back to its room: it waits again.
    indirect case giveBack(ReturnedPush)
    /// Find out how far the request has come; if its END_STREAM is not encrypted, take it back. Answer: `withdrawn`.
    case withdraw(LinkID, stream: Int32, slot: Int32)
    /// Reset a stream and forget it.
    case reset(LinkID, stream: Int32)
    /// Say goodbye and close.
    case closeLink(LinkID)
    /// Close without ceremony: an attempt to connect that took too long.
    case abandonLink(LinkID)
    /// Give up a link that says nothing; what becomes of its streams comes back as `linkLost`.
    indirect case breakLink(LinkID, LinkFailure)
    /// Send a PING with this id.
    case ping(LinkID, UInt64)
    /// Hand the outcome to its owner. `endsTurn`: the push had its turn at its device.
    case finish(PushRecord, Result<PushResponse, PushError>, endsTurn: Bool)
    /// Tell the room of an answer to a push that asks for retries.
    indirect case noteAnswer(RetryAnswer)
    /// The link that may have refused streams received SETTINGS.
    case noteSettings
    /// A stream of it settled.
    case noteSettled
    /// Tell owner and subscribers.
    indirect case post(ConnectionFact)
    /// A push was answered that its provider token has expired: make a newer one than that of this number, unless there
    /// is one already, or one was made a moment ago. Answer: `tokenChecked`. The slot is -1 where no push waits for it.
    indirect case renewToken(after: UInt32, LinkID, slot: Int32, PushResponse)
    /// Have an answer judged by what is known of the credential. `isReplaced`: a link is being dialled with the next
    /// one. Answer: `judged`.
    indirect case judge(PushResponse, isProbe: Bool, isReplaced: Bool)
    /// APNs refuses the credential, for all connections of the name. `isProbe`: this connection was trying it. Answer:
    /// `judged`.
    indirect case refuseCredential(CredentialRefusal, isProbe: Bool)
    /// The push that tried the credential ended, and proved nothing.
    case probeEnded
    /// The credential of this offer is the connection's from now on.
    case takeOffer(Int)
    /// It is not: no link came up with it, another one is tried, or the connection ends.
    indirect case declineOffer(Int, CredentialInUse.OfferEnd)
    /// End the process: with a failure, if the credential is refused.
    indirect case stop(CredentialRefusal?)
}

/// What owner and subscribers are told; the interpreter adds pid and name.
enum ConnectionFact {
    case connectionUp(generation: Int)
    case reconnecting(attempt: Int, delay: Duration, cause: LinkFailure)
    case draining(generation: Int, reason: String?)
    /// The credential is refused; a push tries it again after `nextProbe`.
    case suspended(CredentialRefusal, nextProbe: Duration)
    /// The credential is refused that never was accepted, and the connection gives up: the process is about to end.
    case credentialRefused(CredentialRefusal)
    case replacementFailed(attempt: Int, delay: Duration, cause: LinkFailure)
    /// APNs fails so often that nothing is retried for a while.
    case retriesStopped(RetryBreaker.Opening)
    case late(PushRecord, PushStreamID, LateResponse.Outcome)

    /// How long the connection pauses now before it dials again; nil if it does not.
    var pause: Duration? {
        switch self {
        case .reconnecting(_, let delay, _), .replacementFailed(_, let delay, _): delay
        default: nil
        }
    }
}
