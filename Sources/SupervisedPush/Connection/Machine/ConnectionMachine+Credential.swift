/// What refused credentials and refused provider tokens do to a connection.
extension ConnectionMachine {
    // MARK: The credential

    /// Looks at an answer for what it says of the credential. Pushes with a token of their own say nothing of it.
    mutating func judgeCredential(
        _ response: PushResponse, of entry: PushEntry, at slot: Int32, _ now: MonotonicInstant,
        _ actions: inout [ConnectionAction]
    ) {
        if response.isSuccess && credential.isSound || entry.record.head.template.hasAuthorization { return }
        // Links that drain since another credential was taken say nothing of that one.
        guard response.isSuccess || entry.link.number >= credential.firstLink else { return }
        switch credential.judge(response, isProbe: credential.probe == slot) {
        case .nothing: break
        case .firstAcceptance: actions.append(.noteAcceptance)
        case .proven: resume(now, &actions)
        case .refused(let refusal): refuse(refusal, now, &actions)
        }
    }

    /// The credential is refused for good. Before the first accepted push the process ends, after it the connection is
    /// suspended; in both cases what waits is answered, and links drain.
    mutating func refuse(
        _ refusal: CredentialRefusal, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        guard !credential.isHopeless else { return }
        // The next one is being tried already.
        if replacement?.offer != nil, let dialed {
            guard current == nil else { return replaceByForce(refusal.reason?.rawValue, nil, now, &actions) }
            phase = .dialing
            return takeOffer(from: dialed.id, &actions)
        }
        if credential.hasBeenAccepted {
            let pause = credential.suspend(refusal, now)
            actions.append(.post(.suspended(refusal, nextProbe: pause)))
        } else {
            credential.giveUp(refusal)
            let deadline = now.advanced(by: settings.drainLimit)
            closingDeadline = min(closingDeadline ?? deadline, deadline)
            actions.append(.post(.credentialRefused(refusal)))
        }
        answerWaiting(refusal, &actions)
        leaveLinks(now, &actions)
    }

    /// Another connection of the pool learned something about the credential that all of them show.
    mutating func heard(_ news: CredentialNews, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        switch news {
        case .accepted: credential.noteAcceptance()
        case .refused(let refusal): if credential.refusal == nil { refuse(refusal, now, &actions) }
        case .works: if credential.refusal != nil, !credential.isHopeless { resume(now, &actions) }
        }
    }

    /// What a GOAWAY says of the credential, if its link is one that counts.
    func credentialRefusal(in reason: String?, of id: LinkID) -> CredentialRefusal? {
        guard let link = ([dialed, current].compactMap(\.self) + draining).first(where: { $0.id == id }) else {
            return nil
        }
        // While the credential is refused for good, a link that drains tells nothing new.
        if credential.refusal != nil && current?.id != id && dialed?.id != id { return nil }
        // What is said of an offer is not said of the credential in use.
        if id.number < credential.firstLink || dialed?.id == id && replacement?.offer != nil { return nil }
        return CredentialRefusal(goAway: reason, carriesForeignTokens: link.carriesForeignTokens)
    }

    /// The credential works again: as after any other successful connect.
    private mutating func resume(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        credential.recover()
        switch phase {
        case .suspended: dial(now, &actions)
        case .up: if let current { actions.append(.post(.connectionUp(generation: current.generation))) }
        default: break
        }
    }

    // MARK: Suspended

    /// Pushes that come while the credential is refused for good: one in a while tries it, all others are answered at
    /// once.
    mutating func acceptRefused(
        _ records: [PushRecord], _ refusal: CredentialRefusal, _ now: MonotonicInstant,
        _ actions: inout [ConnectionAction]
    ) {
        for record in records {
            guard credential.mayProbe(now), !record.head.template.hasAuthorization, !mustWaitForDevice(record) else {
                actions.append(.finish(record, .failure(.credentialRefused(record.id, refusal)), releases: true))
                continue
            }
            let slot = table.insert(PushEntry(record))
            // Another credential may end the refusal while the probe is on its way, and others come to its device.
            if record.policy.ordered == .perDevice, lines.enter(slot, record.recipient, &table) {
                table[slot]?.hasTurn = true
            }
            table.appendWaiting(slot)
            deadlines.insert(slot, of: table)
            credential.beginProbe(slot)
            dial(now, &actions)
        }
    }

    /// No link came up for the probe.
    mutating func stopProbing(_ refusal: CredentialRefusal, _ actions: inout [ConnectionAction]) {
        phase = .suspended
        answerWaiting(refusal, &actions)
    }

    /// Called after each event while there is a probe: if it ended and proved nothing, the connection waits again.
    mutating func settleProbe(_ slot: Int32, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        if let state = table[slot]?.state, state != .late { return }
        credential.probeEnded(now)
        leaveLinks(now, &actions)
    }

    /// Nothing is dialled, and no stream is opened any more.
    private mutating func leaveLinks(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        phase = .suspended
        replacement = nil
        if let link = dialed {
            dialed = nil
            actions.append(.abandonLink(link.id))
        }
        if let link = current { drain(link, now, &actions) }
    }

    private mutating func answerWaiting(_ refusal: CredentialRefusal, _ actions: inout [ConnectionAction]) {
        for slot in unwritten() {
            guard let entry = table[slot] else { continue }
            takeOut(slot)
            finish(slot, .credentialRefused(entry, refusal), &actions)
        }
    }

    // MARK: The provider token

    /// Looks at an answer that another provider token or a fresh link may change. True: the push has not ended with it;
    /// it waits again, or it is being asked whether there is a newer token.
    mutating func tokenRefused(
        _ response: PushResponse, of entry: PushEntry, at slot: Int32, _ now: MonotonicInstant,
        _ actions: inout [ConnectionAction]
    ) -> Bool {
        guard !response.isSuccess, entry.record.tokenIssue != 0 else { return false }
        switch response.reason {
        case .expiredProviderToken:
            let isLate = entry.state == .late
            if !isLate { table[slot]?.awaitsToken = true }
            let issue = entry.record.tokenIssue
            actions.append(.renewToken(after: issue, entry.link, slot: isLate ? -1 : slot, response))
            return !isLate
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken:
            // The push goes out once more on a fresh link, which is bound to no token yet: the successor of a link that drains is one.
            if current?.id == entry.link {
                guard credential.mayReplaceLink(now) else { return false }
                replaceByForce(response.reason?.rawValue, nil, now, &actions)
            }
            return resendForToken(slot, now, &actions)
        default:
            return false
        }
    }

    /// The answer to `renewToken`: whether there is a token now that is newer than the one that was refused as expired.
    mutating func tokenChecked(
        _ link: LinkID, _ slot: Int32, _ isNewer: Bool, _ response: PushResponse, _ now: MonotonicInstant,
        _ actions: inout [ConnectionAction]
    ) {
        if isNewer, current?.id == link { replaceByForce(response.reason?.rawValue, nil, now, &actions) }
        guard let entry = table[slot], entry.awaitsToken, entry.link == link else { return }
        table[slot]?.awaitsToken = false
        if isNewer, resendForToken(slot, now, &actions) { return admit(now, &actions) }
        inFlight -= 1
        finish(slot, response, &actions)
        linkMoved(link, now, &actions)
    }

    /// Puts a push that was refused for its token back among those that wait: once, and only if it may be sent again.
    private mutating func resendForToken(
        _ slot: Int32, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) -> Bool {
        guard var entry = table[slot], entry.state == .inFlight, !entry.wasResentForToken,
            entry.attempts < settings.maxAttempts, entry.record.policy.resend != .never,
            credential.refusal == nil || credential.probe == slot
        else { return false }
        entry.wasResentForToken = true
        table[slot] = entry
        returnToWaiting(slot, .unprocessed, now, &actions)
        return true
    }
}

extension PushError {
    fileprivate static func credentialRefused(_ entry: PushEntry, _ refusal: CredentialRefusal) -> Self {
        .credentialRefused(entry.record.id, refusal, entry.worst, entry.streamID)
    }
}
