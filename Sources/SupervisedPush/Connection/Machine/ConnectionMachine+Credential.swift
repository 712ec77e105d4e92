import ProcessRuntime

/// What refused credentials and refused provider tokens do to a connection.
extension ConnectionMachine {
    // MARK: The credential

    /// Has an answer judged for what it says of the credential. Pushes with a token of their own say nothing of it.
    mutating func judgeCredential(_ response: PushResponse, of entry: PushEntry, at slot: Int32) {
        if response.isSuccess && credential.isSound || entry.record.head.template.hasAuthorization { return }
        // Links that drain since another credential was taken say nothing of that one.
        guard response.isSuccess || entry.link.number >= credential.firstLink else { return }
        let isProbe = credential.probe == slot
        if isProbe { credential.probe = nil }
        actions.append(.judge(response, isProbe: isProbe, isReplaced: replacement?.offer != nil && dialed != nil))
    }

    /// APNs refuses the credential by something else than the answer to a push.
    mutating func credentialRefused(_ refusal: CredentialRefusal) {
        guard !credential.isHopeless, !takesNextCredential(refusal) else { return }
        // A probe that was answered before has been judged by that.
        let isProbe = credential.refusal != nil && (credential.probe != nil || current == nil)
        credential.probe = nil
        actions.append(.refuseCredential(refusal, isProbe: isProbe))
    }

    /// True if the next credential is being tried already.
    private mutating func takesNextCredential(_ refusal: CredentialRefusal) -> Bool {
        guard replacement?.offer != nil, let dialed else { return false }
        if current == nil {
            takeOffer(from: dialed.id)
        } else {
            replaceByForce(refusal.reason?.rawValue, nil)
        }
        return true
    }

    /// What the room says of the credential.
    ///
    /// - Parameter isOwn: Whether this connection brought it about.
    mutating func heard(_ news: CredentialNews, isOwn: Bool) {
        guard !credential.isHopeless else { return }
        switch news {
        case .refused(let refusal, let pause):
            if takesNextCredential(refusal) { return }
            let isNews = isOwn || credential.refusal == nil
            credential.refuse(refusal, isFinal: pause == nil)
            if let pause {
                if isNews { actions.append(.post(.suspended(refusal, nextProbe: pause))) }
            } else {
                let deadline = now.advanced(by: settings.drainLimit)
                closingDeadline = min(closingDeadline ?? deadline, deadline)
                actions.append(.post(.credentialRefused(refusal)))
            }
            leaveLinks()
        case .replaced(let refusal): _ = takesNextCredential(refusal)
        case .works: if credential.refusal != nil { resume() }
        case .probe: if phase == .suspended { dial() }
        case .probeOver: if credential.refusal != nil { leaveLinks() }
        }
    }

    /// What a GOAWAY says of the credential, if its link is one that counts.
    func credentialRefusal(in reason: String?, of id: LinkID) -> CredentialRefusal? {
        // While the credential is refused, a link that drains tells nothing new.
        if credential.refusal != nil && current?.id != id && dialed?.id != id { return nil }
        guard dialed?.id == id || holds(id) else { return nil }
        // What is said of an offer is not said of the credential in use.
        if id.number < credential.firstLink || dialed?.id == id && replacement?.offer != nil { return nil }
        var carriesForeignTokens = false
        if let current, current.id == id { carriesForeignTokens = current.carriesForeignTokens }
        for link in draining where link.id == id { carriesForeignTokens = link.link.carriesForeignTokens }
        return CredentialRefusal(goAway: reason, carriesForeignTokens: carriesForeignTokens)
    }

    /// The credential works again: as after any other successful connect.
    private mutating func resume() {
        let wasSuspended = phase == .suspended
        credential.recover()
        if wasSuspended { return dial() }
        if let current { actions.append(.post(.connectionUp(generation: current.generation))) }
    }

    // MARK: Suspended

    /// No link came up for the probe, or the one that it was written on is gone. One that drains may still answer it.
    mutating func stopProbing() {
        if credential.probe == nil { actions.append(.probeEnded) }
    }

    /// Called after each event while there is a probe: if it ended and proved nothing, the connection waits again.
    mutating func settleProbe(_ slot: Int32) {
        if let state = table[slot]?.state, state != .late { return }
        credential.probe = nil
        actions.append(.probeEnded)
        leaveLinks()
    }

    /// Nothing is dialled, and no stream is opened any more.
    private mutating func leaveLinks() {
        pausedUntil = nil
        replacement = nil
        if let link = dialed {
            dialed = nil
            actions.append(.abandonLink(link.id))
        }
        if let link = current { drain(link) }
    }

    // MARK: The provider token

    /// Looks at an answer that another provider token or a fresh link may change. True: the push has not ended with it;
    /// it waits again, or it is being asked whether there is a newer token.
    mutating func tokenRefused(_ response: PushResponse, of entry: PushEntry, at slot: Int32) -> Bool {
        guard !response.isSuccess, entry.record.tokenIssue != 0 else { return false }
        switch response.reason {
        case .expiredProviderToken:
            let isLate = entry.state == .late
            if !isLate { table[slot]?.awaitsToken = true }
            let issue = entry.record.tokenIssue
            actions.append(.renewToken(after: issue, entry.link, slot: isLate ? -1 : slot, response))
            return !isLate
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken:
            // The push goes out once more on a fresh link, which is bound to no token yet: the successor of a link that
            // drains is one.
            if current?.id == entry.link {
                guard credential.mayReplaceLink(now) else { return false }
                replaceByForce(response.reason?.rawValue, nil)
            }
            return resendForToken(slot)
        default:
            return false
        }
    }

    /// The answer to `renewToken`: whether there is a token now that is newer than the one that was refused as expired.
    mutating func tokenChecked(_ link: LinkID, _ slot: Int32, _ isNewer: Bool, _ response: PushResponse) {
        if isNewer, current?.id == link { replaceByForce(response.reason?.rawValue, nil) }
        guard let entry = table[slot], entry.awaitsToken, entry.link == link else { return }
        table[slot]?.awaitsToken = false
        if isNewer, resendForToken(slot) { return }
        inFlight -= 1
        finish(slot, response)
        linkMoved(link)
    }

    /// Puts a push that was refused for its token back among those that wait: once, and only if it may be sent again.
    private mutating func resendForToken(_ slot: Int32) -> Bool {
        guard let entry = table[slot], entry.state == .inFlight, !entry.history.wasResentForToken,
            entry.history.attempts < settings.maxAttempts, entry.record.policy.resend != .never,
            credential.refusal == nil || credential.probe == slot
        else { return false }
        table[slot]?.history.wasResentForToken = true
        giveBack(slot, .unprocessed, .tokenRefused)
        return true
    }
}
