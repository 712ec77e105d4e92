import ProcessRuntime

/// Whether callers are accepted with the credential in its present state, and what the connections report about it.
extension WaitingRoom {
    /// Whether this push may probe the refused credential.
    func mayProbe(_ record: PushRecord) -> Bool {
        health.mayProbe(now) && holders.first != Self.nobody && !record.head.template.hasAuthorization
            && !mustWaitForDevice(record)
    }

    mutating func beginProbe(of slot: Int32, by holder: HolderID) {
        health.beginProbe()
        prober = holder
        effects.further().probes = holder
    }

    /// Judges an answer to a push that carried no provider token of its own. Acceptances arrive here only while there
    /// is doubt.
    ///
    /// - Parameters:
    ///   - isReplaced: The connection is about to come up with another credential, so the refusal of this one stops
    ///     nothing.
    ///   - accepted: Whether it had pushes accepted before this answer.
    mutating func judge(
        _ response: PushResponse, isProbe: Bool, isReplaced: Bool, after accepted: Bool = false
    ) -> CredentialNews? {
        if accepted { health.noteAccepted() }
        // A probe is an ordinary push once the refusal has ended.
        let isProbe = isProbe && health.isProbing
        switch health.judge(response, isProbe: isProbe) {
        case .nothing where isProbe:
            health.probeEnded(now)
            return .probeOver
        case .nothing, .firstAcceptance: return nil
        case .proven:
            health.recover()
            endProbing()
            return announce(.works)
        case .refused(let refusal) where isReplaced: return .replaced(refusal)
        case .refused(let refusal): return refuse(refusal, isProbe: isProbe).news
        }
    }

    /// APNs refuses the credential, and retrying does not help: waiting pushes end, and callers are refused until a
    /// probe is accepted.
    ///
    /// - Parameter isProbe: Whether it was refused to the connection that probes it.
    /// - Returns: The present state, and whether it was known before.
    mutating func refuse(_ refusal: CredentialRefusal, isProbe: Bool) -> (news: CredentialNews, wasKnown: Bool) {
        if let known = health.refusal, !isProbe {
            return (.refused(known, nextProbe: health.isRejectedForGood ? nil : health.pause), true)
        }
        var pause: Duration?
        if settings.givesUpOnRefusal, !health.hasBeenAccepted {
            health.giveUp(refusal)
        } else {
            pause = health.suspend(refusal, now)
        }
        let slots = table.slots.sorted { callNumber(of: $0) < callNumber(of: $1) }
        for slot in slots { end(slot, reason: .refused(refusal)) }
        return (announce(.refused(refusal, nextProbe: pause)), false)
    }

    /// The push that probed the credential ended without an answer, or no link came up for it. In the latter case it
    /// ends here.
    mutating func probeEnded(by id: HolderID) {
        guard let refusal = health.refusal else { return }
        health.probeEnded(now)
        for slot in table.slots where table[slot]?.isProbe == true { end(slot, reason: .refused(refusal)) }
        // It knows already.
        effects.rest?.probeOver = nil
    }

    /// Another credential replaced the one in use.
    mutating func renewCredential() {
        let wasRefused = health.refusal != nil
        health.renew()
        endProbing()
        if wasRefused { effects.further().news = .works }
    }

    /// Probes become ordinary pushes.
    private mutating func endProbing() {
        for slot in table.slots where table[slot]?.isProbe == true { table[slot]?.isProbe = false }
    }

    private mutating func announce(_ news: CredentialNews) -> CredentialNews {
        effects.further().news = news
        return news
    }
}

/// What the connections of one name report to each other about their credential.
enum CredentialNews: Sendable, Equatable {
    /// It is refused. `nextProbe`: how long no push probes it; nil: the connection ends.
    case refused(CredentialRefusal, nextProbe: Duration?)
    /// It is refused, and another one is about to replace it.
    case replaced(CredentialRefusal)
    /// It works again.
    case works
    /// A push should probe it.
    case probe
    /// The probe ended without a result.
    case probeOver
}
