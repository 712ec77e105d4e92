import ProcessRuntime

/// What a connection knows about the credential of its links. The room has the rest and judges it: see
/// ``CredentialHealth``.
struct ShownCredential {
    /// After a link was replaced because of TooManyProviderTokenUpdates or UnrelatedKeyIdInToken, no other is replaced
    /// for this time, so a peer that repeats it cannot cause a dial loop.
    static let linkReplacementPause = Duration.seconds(60)

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
    private var linkReplaced: MonotonicInstant?

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
        linkReplaced = nil
    }

    /// Whether a link may be replaced for this reason now; if so, the time is recorded.
    mutating func mayReplaceLink(_ now: MonotonicInstant) -> Bool {
        if let linkReplaced, linkReplaced.duration(to: now) < Self.linkReplacementPause { return false }
        linkReplaced = now
        return true
    }
}
