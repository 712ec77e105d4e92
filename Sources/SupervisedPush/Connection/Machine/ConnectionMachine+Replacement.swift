import ProcessRuntime

/// How the current link gets a successor while it is up: by force, if it must take no more pushes, or by choice.
extension ConnectionMachine {
    /// The current link opens no more streams: it drains, and pushes wait for its successor. If it has not been useful,
    /// that counts as an attempt that failed for `cause`, so a peer that ends every link at once cannot cause a dial
    /// loop.
    ///
    /// - Parameter hasFailed: Whether it counts so; nil if its usefulness tells.
    mutating func replaceByForce(_ reason: String?, cause: LinkFailure?, hasFailed: Bool? = nil) {
        guard let link = current else { return }
        // The link being dialled continues, and its offered credential is adopted with it.
        if let dialed { acceptOffer(from: dialed.id) }
        announceDraining(link, reason: reason)
        let wasUseful = hasFailed.map { !$0 } ?? isUseful(link)
        drain(link)
        replacement = nil
        if wasUseful { backoff.reset() }
        guard dialed == nil else { return }
        guard !wasUseful, let cause else { return dial() }
        pause(cause)
        pausedAfter = hasFailed == nil ? link.id : nil
    }

    /// Dials a successor. The current link, and the phase `up`, stay until it is up. If the attempt fails, that is
    /// posted, and the next one follows after a pause.
    mutating func replaceByChoice(_ reason: Replacement.Reason) {
        guard current != nil, dialed == nil, replacement == nil, closingDeadline == nil else { return }
        var pauses = backoff
        pauses.reset()
        replacement = Replacement(reason: reason, backoff: pauses)
        dial()
    }

    /// The pause after a failed attempt is over.
    mutating func dialReplacement() {
        replacement?.retryAt = nil
        // During a close, waiting pushes go out over the present link.
        guard closingDeadline == nil else { return }
        dial()
    }

    /// The link being dialled was lost before it came up.
    mutating func dialFailed(_ cause: LinkFailure) {
        dialed = nil
        ports.failed(in: cause.layer)
        guard current != nil, var wanted = replacement else { return pause(cause) }
        if let offer = wanted.offer { return offerFailed(offer, cause: cause) }
        let delay = wanted.backoff.next()
        wanted.retryAt = now.advanced(by: delay)
        replacement = wanted
        announce(.replacementFailed(attempt: wanted.backoff.attempt, delay: delay, cause: cause))
    }

    /// The current link broke while its successor was being dialled: it is an ordinary lost link.
    mutating func abandonReplacement() {
        acceptOffer(from: nil)
        replacement = nil
        guard let successor = dialed else { return }
        dialed = nil
        actions.append(.abandonLink(successor.id))
    }
}

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
