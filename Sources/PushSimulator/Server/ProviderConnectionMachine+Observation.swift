/// What an observer sees of a connection.
extension ProviderConnectionMachine {
    /// How many requests were processed or cut off.
    var requests: Int { pushes }

    /// The MAX_CONCURRENT_STREAMS that was last announced.
    var streamLimit: Int { announcedLimit }

    /// Where the connection is in its life.
    var phase: ConnectionReport.Phase {
        if isDeaf || isBlind { return .deaf }
        if isMuted { return .muted }
        return lastStream == .max && announced == nil ? .open : .draining
    }

    /// What the ledger or an observer gets of a request; nil if neither wants it whole.
    func whole(_ request: PushRequest, _ wallClock: Int64) -> LedgerEntry.Whole? {
        if keepsRequests { return LedgerEntry.Whole(request, wallClock: wallClock) }
        // The request follows in `describe`, with what is known then.
        return isObserved ? LedgerEntry.Whole(wallClock: wallClock) : nil
    }

    /// Adds what an observer sees, and a ledger does not need.
    mutating func describe(
        _ whole: LedgerEntry.Whole, request: PushRequest, verdict: Verdict, answeredID: Octets
    ) {
        let newID = request.messageID == answeredID ? nil : answeredID
        if keepsRequests {
            whole.keep(request, answeredID: newID)
        } else {
            whole.keep(keeper.keep(request, answeredID: newID))
        }
        guard verdict.refusal != nil else {
            whole.sender = facts.identity
            return
        }
        whole.refusedAt = facts.lastRefusalRow
        // A token that was refused for its age, its team or its key is genuine all the same.
        let refused = facts.isByToken ? request.bearer.flatMap { policy.verifier.verify($0) } : nil
        whole.sender = refused.map { ProviderIdentity($0) } ?? facts.identity
    }
}
