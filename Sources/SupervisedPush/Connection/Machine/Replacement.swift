/// A link is wanted in place of the current one, which still works and stays until its successor's SETTINGS: a replacement
/// by choice.
struct Replacement {
    /// Why.
    enum Reason: Equatable {
        /// The link's stream numbers run out.
        case streamsRunOut
    }

    let reason: Reason
    /// The pauses between attempts. Answers on the current link, which keep coming, must not shorten them.
    var backoff: Backoff
    /// When the next attempt begins; nil while one is under way.
    var retryAt: MonotonicInstant?
}
