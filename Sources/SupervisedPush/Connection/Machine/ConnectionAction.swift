/// What a connection machine wants done. The interpreter performs each; none needs a decision.
enum ConnectionAction {
    /// Open a link: resolve, connect, TLS, SETTINGS.
    case dial(LinkID)
    /// Write the push as this stream. `releases`: it no longer counts as waiting.
    case submit(LinkID, stream: Int32, slot: Int32, PushRecord, PushStreamID, releases: Bool)
    /// Find out how far the request has come; if its END_STREAM is not encrypted, take it back. Answer: `withdrawn`.
    case withdraw(LinkID, stream: Int32, slot: Int32)
    /// Reset a stream and forget it.
    case reset(LinkID, stream: Int32)
    /// Say goodbye and close.
    case closeLink(LinkID)
    /// Close without ceremony: an attempt to connect that took too long.
    case abandonLink(LinkID)
    /// Hand the outcome to its owner.
    case finish(PushRecord, Result<PushResponse, PushError>, releases: Bool)
    /// Tell owner and subscribers.
    case post(ConnectionFact)
    /// End the process.
    case stop
}

/// What owner and subscribers are told; the interpreter adds pid and name.
enum ConnectionFact {
    case connectionUp(generation: Int)
    case reconnecting(attempt: Int, delay: Duration, cause: LinkFailure)
    case draining(generation: Int, reason: String?)
    case late(PushRecord, PushStreamID, LateResponse.Outcome)
}
