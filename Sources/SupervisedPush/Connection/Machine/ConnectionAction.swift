/// An action of a connection machine. The interpreter performs it without a decision.
///
/// Rare and large values are behind a reference, so that the two actions of every push are small.
enum ConnectionAction {
    /// Open a link to this port: load its credential, resolve, connect, TLS, SETTINGS. `refreshes`: the credential is
    /// refused, so one with a loader is loaded again.
    case dial(LinkID, port: Int, refreshes: Bool)
    /// Write the push as this stream. `isFirst`: it has never been written before.
    case submit(LinkID, stream: Int32, slot: Int32, PushRecord, PushStreamID, isFirst: Bool)
    /// Return the push to its room, where it waits again.
    indirect case giveBack(ReturnedPush)
    /// Find out how far the request has been written; take it back if its END_STREAM is not encrypted. Answer:
    /// `withdrawn`.
    case withdraw(LinkID, stream: Int32, slot: Int32)
    /// Reset a stream and forget it.
    case reset(LinkID, stream: Int32)
    /// Send GOAWAY and close.
    case closeLink(LinkID)
    /// Close at once: an attempt to connect that took too long.
    case abandonLink(LinkID)
    /// Give up a silent link; the state of its streams comes back as `linkLost`.
    indirect case breakLink(LinkID, LinkFailure)
    /// Send a PING with this id.
    case ping(LinkID, UInt64)
    /// Deliver the outcome. `endsTurn`: the push had its turn at its device.
    case finish(PushRecord, Result<PushResponse, PushError>, endsTurn: Bool)
    /// Report an answer to a push that asks for retries to the room.
    indirect case noteAnswer(RetryAnswer)
    /// The link that may have refused streams received SETTINGS.
    case noteSettings
    /// A stream of it ended.
    case noteSettled
    /// Report to owner and subscribers.
    indirect case post(ConnectionFact)
    /// An answer said that the push's provider token has expired. Make a newer token than the one with this number,
    /// unless there is one already or one was made a moment ago. Answer: `tokenChecked`. The slot is -1 if no push
    /// waits for it.
    indirect case renewToken(after: UInt32, LinkID, slot: Int32, PushResponse)
    /// Judge what an answer says about the credential. `isReplaced`: a link is being dialled with the next one. Answer:
    /// `judged`.
    indirect case judge(PushResponse, isProbe: Bool, isReplaced: Bool)
    /// APNs refuses the credential, for all connections of the name. `isProbe`: this connection was probing it. Answer:
    /// `judged`.
    indirect case refuseCredential(CredentialRefusal, isProbe: Bool)
    /// The push that probed the credential ended without a result.
    case probeEnded
    /// The credential of this offer is the connection's from now on.
    case acceptOffer(Int)
    /// The offered credential is not adopted: no link came up with it, another one is tried, or the connection ends.
    indirect case declineOffer(Int, CredentialInUse.OfferEnd)
    /// End the process; with a failure if the credential is refused.
    indirect case stop(CredentialRefusal?)

    /// The link that it writes a push to; nil if it does something else.
    var submitsTo: LinkID? { if case .submit(let link, _, _, _, _, _) = self { link } else { nil } }
}

/// A report to owner and subscribers; the interpreter adds pid and name.
enum ConnectionFact {
    case connectionUp(generation: Int)
    case reconnecting(attempt: Int, delay: Duration, cause: LinkFailure)
    case draining(generation: Int, reason: String?)
    /// The credential is refused; a push probes it after `nextProbe`.
    case suspended(CredentialRefusal, nextProbe: Duration)
    /// The credential is refused, was never accepted, and the connection gives up: the process is about to end.
    case credentialRefused(CredentialRefusal)
    case replacementFailed(attempt: Int, delay: Duration, cause: LinkFailure)
    /// APNs fails so often that retries pause.
    case retriesStopped(RetryBreaker.Opening)
    case late(PushRecord, PushStreamID, LateResponse.Outcome)

    /// How long the connection pauses before it dials again; nil if it does not pause.
    var pause: Duration? {
        switch self {
        case .reconnecting(_, let delay, _), .replacementFailed(_, let delay, _): delay
        default: nil
        }
    }
}
