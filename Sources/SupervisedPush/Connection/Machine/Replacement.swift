import ProcessRuntime

/// A successor of the current link, which still works and stays until the successor's SETTINGS: a replacement by
/// choice.
struct Replacement {
    /// Why.
    enum Reason: Equatable {
        /// The link's stream numbers run out.
        case streamsRunOut
        /// Another credential is offered. It is adopted once a link is up with it, and declined if that fails.
        case offer(CredentialOffer)
        /// Another credential was adopted.
        case credential
    }

    let reason: Reason
    /// The credential that is offered and not adopted yet.
    var offer: CredentialOffer? {
        if case .offer(let offer) = reason { offer } else { nil }
    }
    /// The pauses between attempts. Answers on the current link must not shorten them.
    var backoff: Backoff
    /// When the next attempt begins; nil while one is under way.
    var retryAt: MonotonicInstant?
}
