import ProcessRuntime

/// What is known of the credential that a name's connections show: whether APNs ever accepted a push with it, how often
/// in a row it refused it, and, while it is refused, when a push may try it again.
///
/// It judges; what follows for pushes and links, the room and the machines decide.
struct CredentialHealth {
    /// What an answer says of the credential.
    enum Verdict: Equatable {
        case nothing
        /// The first push was accepted.
        case firstAcceptance
        /// The probe got through: the credential works again.
        case proven
        /// No retry helps.
        case refused(CredentialRefusal)
    }

    /// So many 403 in a row, with no 200 between, are about the credential and not about a push.
    static let refusalsInARow = 3

    private let shortestPause: Duration
    private let longestPause: Duration
    /// A push was accepted under the name.
    private(set) var hasBeenAccepted = false
    /// Why the credential is refused; nil while it is not.
    private(set) var refusal: CredentialRefusal?
    /// It was refused before any push was accepted, and the configuration gives up then.
    private(set) var isHopeless = false
    /// A push is on its way that tries the credential again.
    private(set) var isProbing = false
    private var refusedInARow = 0
    /// How long no push tries it.
    private(set) var pause: Duration
    private var nextProbe = MonotonicInstant(nanoseconds: 0)

    init(_ settings: RoomSettings) {
        shortestPause = settings.probePause
        longestPause = settings.longestProbePause
        pause = settings.probePause
    }

    /// Accepted pushes need no judgement.
    var isSound: Bool { hasBeenAccepted && refusedInARow == 0 && refusal == nil }

    /// Judges the answer to a push that carried no token of its own.
    mutating func judge(_ response: PushResponse, isProbe: Bool) -> Verdict {
        // While it is refused, the answers of links that drain prove nothing new.
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

    /// Pushes were accepted whose answers nobody judged one by one.
    mutating func noteAccepted() { if refusal == nil { refusedInARow = 0 } }

    // MARK: Refused

    /// The credential is refused, and the connection ends for it.
    mutating func giveUp(_ refusal: CredentialRefusal) {
        self.refusal = refusal
        isHopeless = true
        isProbing = false
    }

    /// The credential is refused, perhaps again. Returns how long no push tries it: longer each time.
    mutating func suspend(_ refusal: CredentialRefusal, _ now: MonotonicInstant) -> Duration {
        pause = self.refusal == nil ? shortestPause : min(pause * 2, longestPause)
        self.refusal = refusal
        probeEnded(now)
        return pause
    }

    /// Whether the next push may try the credential.
    func mayProbe(_ now: MonotonicInstant) -> Bool {
        refusal != nil && !isHopeless && !isProbing && nextProbe <= now
    }

    mutating func beginProbe() { isProbing = true }

    /// The probe ended and told nothing of the credential; the next one has to wait as long as this one had.
    mutating func probeEnded(_ now: MonotonicInstant) {
        isProbing = false
        nextProbe = now.advanced(by: pause)
    }

    /// Another credential took its place.
    mutating func renew() {
        recover()
        pause = shortestPause
    }

    /// The credential works again.
    mutating func recover() {
        refusal = nil
        isHopeless = false
        isProbing = false
        refusedInARow = 0
    }
}
