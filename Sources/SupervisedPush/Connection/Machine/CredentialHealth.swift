/// What is known of the credential that a connection shows: whether APNs ever accepted a push with it, how often in a row
/// it refused it, and, while it is refused for good, when a push may try it again.
///
/// It judges; what follows for links and pushes, the machine decides.
struct CredentialHealth {
    /// What an answer says of the credential.
    enum Verdict: Equatable {
        case nothing
        /// The first push was accepted.
        case firstAcceptance
        /// The probe got through: the credential works again.
        case proven
        /// No retry mends it.
        case refused(CredentialRefusal)
    }

    /// So many 403 in a row, with no 200 between, are about the credential and not about a push.
    static let refusalsInARow = 3
    /// After a link was replaced because of TooManyProviderTokenUpdates or UnrelatedKeyIdInToken, none is for so long: a peer that keeps
    /// saying it must not make us dial in a loop.
    static let linkReplacementPause = Duration.seconds(60)

    private let shortestPause: Duration
    private let longestPause: Duration
    /// A push was accepted under the connection's name, by this process or one before it.
    private(set) var hasBeenAccepted: Bool
    /// Why the credential is refused for good; nil while it is not.
    private(set) var refusal: CredentialRefusal?
    /// It was refused before any push was accepted: the process ends.
    private(set) var isHopeless = false
    /// The number of the first link that shows it; earlier ones show what it took the place of.
    private(set) var firstLink: UInt32 = 0
    /// The slot of the push that tries the credential again.
    private(set) var probe: Int32?
    private var refusedInARow = 0
    private var pause: Duration
    private var nextProbe = MonotonicInstant(nanoseconds: 0)
    private var linkReplaced: MonotonicInstant?

    init(_ settings: ConnectionSettings, hasBeenAccepted: Bool) {
        shortestPause = settings.probePause
        longestPause = settings.longestProbePause
        pause = settings.probePause
        self.hasBeenAccepted = hasBeenAccepted
    }

    /// Nothing to notice in one more accepted push: the common case.
    var isSound: Bool { hasBeenAccepted && refusedInARow == 0 && refusal == nil }

    /// Judges the answer to a push that carried no token of its own.
    mutating func judge(_ response: PushResponse, isProbe: Bool) -> Verdict {
        // While it is refused for good, the answers of links that drain prove nothing new.
        if refusal != nil && !isProbe { return .nothing }
        if response.isSuccess {
            refusedInARow = 0
            if isProbe { return .proven }
            defer { hasBeenAccepted = true }
            return hasBeenAccepted ? .nothing : .firstAcceptance
        }
        if let refusal = CredentialRefusal(response) {
            refusedInARow += 1
            return isProbe || refusedInARow >= Self.refusalsInARow ? .refused(refusal) : .nothing
        }
        // APNs looks at the credential before it looks at the device.
        return isProbe && response.advice == .dropToken ? .proven : .nothing
    }

    /// A push was accepted over another connection.
    mutating func noteAcceptance() { hasBeenAccepted = true }

    // MARK: Refused for good

    /// The credential is refused, and no push was ever accepted with it.
    mutating func giveUp(_ refusal: CredentialRefusal) {
        self.refusal = refusal
        isHopeless = true
        probe = nil
    }

    /// The credential is refused that worked before, or is refused again. Returns how long no push tries it: longer each
    /// time.
    mutating func suspend(_ refusal: CredentialRefusal, _ now: MonotonicInstant) -> Duration {
        pause = self.refusal == nil ? shortestPause : min(pause * 2, longestPause)
        self.refusal = refusal
        probeEnded(now)
        return pause
    }

    /// Whether the next push may try the credential.
    func mayProbe(_ now: MonotonicInstant) -> Bool {
        refusal != nil && !isHopeless && probe == nil && nextProbe <= now
    }

    mutating func beginProbe(_ slot: Int32) { probe = slot }

    /// The probe ended and told nothing of the credential; the next one has to wait as long as this one had.
    mutating func probeEnded(_ now: MonotonicInstant) {
        probe = nil
        nextProbe = now.advanced(by: pause)
    }

    /// Another credential took its place, which links show from this number on.
    mutating func renew(from link: UInt32) {
        recover()
        firstLink = link
        pause = shortestPause
        linkReplaced = nil
    }

    /// The credential works again.
    mutating func recover() {
        refusal = nil
        probe = nil
        refusedInARow = 0
    }

    // MARK: TooManyProviderTokenUpdates and UnrelatedKeyIdInToken

    /// Whether a link may be replaced for this reason now; if so, it is noted.
    mutating func mayReplaceLink(_ now: MonotonicInstant) -> Bool {
        if let linkReplaced, linkReplaced.duration(to: now) < Self.linkReplacementPause { return false }
        linkReplaced = now
        return true
    }
}
