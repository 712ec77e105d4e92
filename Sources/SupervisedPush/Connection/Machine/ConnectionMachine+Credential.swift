import ProcessRuntime
import PushTransport

/// How a connection handles refused credentials and refused provider tokens.
extension ConnectionMachine {
    // MARK: The credential

    /// Judges what an answer says about the credential. Pushes with a token of their own say nothing about it.
    mutating func judgeCredential(_ response: PushResponse, of entry: PushEntry, at slot: Int32) {
        if response.isSuccess && credential.isHealthy || entry.record.head.template.hasAuthorization { return }
        // Links of an earlier credential say nothing about the one in use.
        guard response.isSuccess || entry.link.number >= credential.firstLink else { return }
        let isProbe = credential.probe == slot
        if isProbe { credential.probe = nil }
        actions.append(.judge(response, isProbe: isProbe, isReplaced: replacement?.offer != nil && dialed != nil))
    }

    /// APNs refuses the credential by something other than an answer to a push.
    mutating func credentialRefused(_ refusal: CredentialRefusal) {
        guard !credential.isRejectedForGood, !takesNextCredential(refusal) else { return }
        // A probe that was answered before has been judged by its answer.
        let isProbe = credential.probe != nil || credential.refusal != nil && current == nil
        credential.probe = nil
        actions.append(.refuseCredential(refusal, isProbe: isProbe))
    }

    /// True if the next credential is being tried already.
    private mutating func takesNextCredential(_ refusal: CredentialRefusal) -> Bool {
        guard replacement?.offer != nil, let dialed else { return false }
        if current == nil {
            acceptOffer(from: dialed.id)
        } else {
            replaceByForce(refusal.reason?.rawValue, cause: nil)
        }
        return true
    }

    /// The room reports on the credential.
    ///
    /// - Parameter isOwn: Whether this connection caused it.
    mutating func heard(_ news: CredentialNews, isOwn: Bool) {
        guard !credential.isRejectedForGood else { return }
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

    /// What a GOAWAY says about the credential, if its link counts.
    func credentialRefusal(in reason: String?, of id: LinkID) -> CredentialRefusal? {
        // While the credential is refused, a draining link says nothing new.
        if credential.refusal != nil && current?.id != id && dialed?.id != id { return nil }
        guard dialed?.id == id || holds(id) else { return nil }
        // A link with an offered credential says nothing about the one in use.
        if id.number < credential.firstLink || dialed?.id == id && replacement?.offer != nil { return nil }
        var carriesForeignTokens = false
        if let current, current.id == id { carriesForeignTokens = current.carriesForeignTokens }
        for link in draining where link.id == id { carriesForeignTokens = link.link.carriesForeignTokens }
        return CredentialRefusal(goAway: reason, carriesForeignTokens: carriesForeignTokens)
    }

    /// The credential works again: dial as after any success.
    private mutating func resume() {
        let wasSuspended = phase == .suspended
        credential.recover()
        if wasSuspended { return dial() }
        if let current { actions.append(.post(.connectionUp(generation: current.generation))) }
    }

    // MARK: Suspended

    /// No link came up for the probe, or its link is gone. A draining link may still answer it.
    mutating func stopProbing() {
        if credential.probe == nil { actions.append(.probeEnded) }
    }

    /// Called after each event while there is a probe: if it ended without a result, the connection waits again.
    mutating func reviewProbe(_ slot: Int32) {
        if let state = table[slot]?.state, state != .late { return }
        credential.probe = nil
        actions.append(.probeEnded)
        if credential.refusal != nil { leaveLinks() }
    }

    /// Stops dialling and opening streams.
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

    /// Handles an answer that another provider token or a fresh link may change. True if the push has not ended: it
    /// waits again, or a newer token is being looked for.
    ///
    /// A certificate names its topics itself, and pushes with a token of their own are their caller's.
    mutating func refused(_ response: PushResponse, of entry: PushEntry, at slot: Int32) -> Bool {
        guard !response.isSuccess, entry.record.tokenIssue != 0 else { return false }
        return tokenRefused(response, of: entry, at: slot) || topicRefused(response, of: entry, at: slot)
    }

    private mutating func tokenRefused(_ response: PushResponse, of entry: PushEntry, at slot: Int32) -> Bool {
        switch response.reason {
        case .expiredProviderToken:
            let isLate = entry.state == .late
            if !isLate { table[slot]?.awaitsToken = true }
            let issue = entry.record.tokenIssue
            actions.append(.renewToken(after: issue, entry.link, slot: isLate ? -1 : slot, response))
            return !isLate
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken:
            // The push goes out once more over a fresh link, which is not bound to a token yet: a draining link's
            // successor is one.
            if current?.id == entry.link {
                guard credential.tokenReplacements.mayBegin(now) else { return false }
                replaceByForce(response.reason?.rawValue, cause: nil)
            }
            return resendForToken(slot)
        default:
            return false
        }
    }

    /// The answer to `renewToken`: whether there is a newer token than the one refused as expired.
    mutating func tokenChecked(on link: LinkID, slot: Int32, isNewer: Bool, response: PushResponse) {
        if isNewer, current?.id == link { replaceByForce(response.reason?.rawValue, cause: nil) }
        guard let entry = table[slot], entry.awaitsToken, entry.link == link else { return }
        table[slot]?.awaitsToken = false
        if isNewer, resendForToken(slot) { return }
        inFlight -= 1
        finish(slot, with: response)
        linkMoved(link)
    }

    /// Returns a push whose token was refused to the room: once, and only if it may be resent.
    private mutating func resendForToken(_ slot: Int32) -> Bool {
        guard table[slot]?.history.wasResentForToken == false, mayResend(slot) else { return false }
        table[slot]?.history.wasResentForToken = true
        giveBack(slot, certainty: .unprocessed, cause: .needsFreshLink)
        return true
    }

    /// Whether a push in flight may be resent after an answer.
    func mayResend(_ slot: Int32) -> Bool {
        guard let entry = table[slot], entry.state == .inFlight else { return false }
        return entry.history.attempts < settings.maxAttempts && entry.record.policy.resend != .never
            && (credential.refusal == nil || credential.probe == slot)
    }
}

extension CredentialRefusal {
    /// What a GOAWAY says about the credential; nil if nothing. A reason about provider tokens counts only on a link on
    /// which no push carried a token of its own.
    init?(goAway text: String?, carriesForeignTokens: Bool) {
        guard let text else { return nil }
        let reason = RejectionReason(rawValue: text)
        switch reason {
        case .badCertificate, .badCertificateEnvironment: break
        case .invalidProviderToken, .missingProviderToken, .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken:
            if carriesForeignTokens { return nil }
        default: return nil
        }
        self.init(
            reason, at: .http2, "APNs refuses the credential (GOAWAY): \(reason). \(reason.meaning) \(reason.remedy)")
    }

    /// What an answer says about the credential; nil if it concerns the push, the token's age, or nothing relevant.
    init?(_ response: PushResponse) {
        guard response.refusesCredential, response.advice != .renewToken else { return nil }
        let said = response.reason.map { "\($0). \($0.meaning) \($0.remedy)" } ?? "403 without a reason."
        self.init(response.reason, at: .apns, "APNs refuses the credential: \(said)")
    }
}

extension PushError {
    /// The error of a push that is not sent, because the credential is refused.
    static func credentialRefused(
        _ pushID: PushID, refusal: CredentialRefusal, certainty: Certainty = .notSent,
        streamID: PushStreamID? = nil
    ) -> Self {
        Self(
            .credentialRefused, at: .apns, certainty: certainty, pushID: pushID, streamID: streamID,
            "\(refusal.description) \(certainty.adviceOnResending)")
    }
}

extension ConnectionFact {
    /// Why the credential is refused, if the fact says so.
    var refusal: CredentialRefusal? {
        switch self {
        case .suspended(let refusal, _), .credentialRefused(let refusal): refusal
        default: nil
        }
    }
}
