import ProcessRuntime

/// A link is wanted in place of the current one, which still works and stays until its successor's SETTINGS: a
/// replacement by choice.
struct Replacement {
    /// Why.
    enum Reason: Equatable {
        /// The link's stream numbers run out.
        case streamsRunOut
        /// Another credential is offered: it is taken once a link is up with it, and given back if that fails.
        case offer(CredentialOffer)
        /// Another credential was taken.
        case credential
    }

    let reason: Reason
    /// The credential that waits to be taken.
    var offer: CredentialOffer? {
        if case .offer(let offer) = reason { offer } else { nil }
    }
    /// The pauses between attempts. Answers on the current link, which keep coming, must not shorten them.
    var backoff: Backoff
    /// When the next attempt begins; nil while one is under way.
    var retryAt: MonotonicInstant?
}
