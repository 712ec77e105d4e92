import ProcessRuntime

/// What a connection knows about the credential of its links. The room has the rest and judges it: see
/// ``CredentialHealth``.
struct ShownCredential {
    /// Why APNs refuses it; nil while it does not.
    private(set) var refusal: CredentialRefusal?
    /// It was refused before a push was accepted, and the connection gives up.
    private(set) var isRejectedForGood = false
    /// Accepted pushes need no judgement.
    var isHealthy = false
    /// The number of the first link that uses it; earlier links use its predecessor.
    private(set) var firstLink: UInt32 = 0
    /// The slot of the push that probes it, once that is written.
    var probe: Int32?
    /// Links replaced because of TooManyProviderTokenUpdates or UnrelatedKeyIdInToken.
    var tokenReplacements = LinkReplacements()
    /// Links replaced because of TopicDisallowed.
    var topicReplacements = LinkReplacements()

    init(refusal: CredentialRefusal? = nil, isRejectedForGood: Bool = false, isHealthy: Bool = false) {
        self.refusal = refusal
        self.isRejectedForGood = isRejectedForGood
        self.isHealthy = isHealthy
    }

    mutating func refuse(_ refusal: CredentialRefusal, isFinal: Bool) {
        self.refusal = refusal
        isRejectedForGood = isFinal
        isHealthy = false
        probe = nil
    }

    /// It works again.
    mutating func recover() {
        refusal = nil
        isRejectedForGood = false
        probe = nil
    }

    /// Another credential replaced it, for links from this number on.
    mutating func renew(from link: UInt32) {
        recover()
        isHealthy = false
        firstLink = link
        tokenReplacements = LinkReplacements()
        topicReplacements = LinkReplacements()
    }
}

/// Limits how often a link is replaced for one reason, so a peer that repeats it cannot cause a dial loop.
struct LinkReplacements {
    static let pause = Duration.seconds(60)

    private var latest: MonotonicInstant?

    /// Whether a link may be replaced now; if so, the time is recorded.
    mutating func mayBegin(_ now: MonotonicInstant) -> Bool {
        if let latest, latest.duration(to: now) < Self.pause { return false }
        latest = now
        return true
    }
}
