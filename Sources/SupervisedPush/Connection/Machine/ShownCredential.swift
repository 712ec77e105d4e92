import ProcessRuntime

/// What a connection knows of the credential that its links show. The rest, and every judgement, is the room's: see
/// ``CredentialHealth``.
struct ShownCredential {
    /// After a link was replaced because of TooManyProviderTokenUpdates or UnrelatedKeyIdInToken, none is for so long:
    /// a peer that keeps saying it must not make us dial in a loop.
    static let linkReplacementPause = Duration.seconds(60)

    /// Why APNs refuses it; nil while it does not.
    private(set) var refusal: CredentialRefusal?
    /// It was refused before a push was accepted, and the connection gives up.
    private(set) var isHopeless = false
    /// Accepted pushes need no judgement.
    var isSound = false
    /// The number of the first link that shows it; earlier ones show what it took the place of.
    private(set) var firstLink: UInt32 = 0
    /// The slot of the push that tries it, once that is written.
    var probe: Int32?
    private var linkReplaced: MonotonicInstant?

    init(refusal: CredentialRefusal? = nil, isHopeless: Bool = false, isSound: Bool = false) {
        self.refusal = refusal
        self.isHopeless = isHopeless
        self.isSound = isSound
    }

    mutating func refuse(_ refusal: CredentialRefusal, isFinal: Bool) {
        self.refusal = refusal
        isHopeless = isFinal
        isSound = false
        probe = nil
    }

    /// It works again.
    mutating func recover() {
        refusal = nil
        isHopeless = false
        probe = nil
    }

    /// Another credential took its place, which links show from this number on.
    mutating func renew(from link: UInt32) {
        recover()
        isSound = false
        firstLink = link
        linkReplaced = nil
    }

    /// Whether a link may be replaced for this reason now; if so, it is noted.
    mutating func mayReplaceLink(_ now: MonotonicInstant) -> Bool {
        if let linkReplaced, linkReplaced.duration(to: now) < Self.linkReplacementPause { return false }
        linkReplaced = now
        return true
    }
}
