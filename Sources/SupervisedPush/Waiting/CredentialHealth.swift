import ProcessRuntime

/// What is known about the credential of a name's connections: whether APNs has accepted a push with it, how often in a
/// row it refused it, and, while it is refused, when a push may probe it.
///
/// It judges. The room and the machines decide what follows for pushes and links.
struct CredentialHealth {
    /// What an answer says about the credential.
    enum Verdict: Equatable {
        case nothing
        /// The first push was accepted.
        case firstAcceptance
        /// The probe was accepted: the credential works again.
        case proven
        /// Retrying does not help.
        case refused(CredentialRefusal)
    }

    /// This many 403 in a row, without a 200 between them, concern the credential and not a push.
    static let refusalsInARow = 3

    private let shortestPause: Duration
    private let longestPause: Duration
    /// A push was accepted under the name.
    private(set) var hasBeenAccepted = false
    /// Why the credential is refused; nil while it is not.
    private(set) var refusal: CredentialRefusal?
    /// It was refused before any push was accepted, and the configuration says to give up then.
    private(set) var isRejectedForGood = false
    /// A push that probes the credential is on its way.
    private(set) var isProbing = false
    private var refusedInARow = 0
    /// How long no push probes it.
    private(set) var pause: Duration
    private var nextProbe = MonotonicInstant(nanoseconds: 0)

    init(_ settings: RoomSettings) {
        shortestPause = settings.probePause
        longestPause = settings.longestProbePause
        pause = settings.probePause
    }

    /// Accepted pushes need no judgement.
    var isHealthy: Bool { hasBeenAccepted && refusedInARow == 0 && refusal == nil }

    /// Judges the answer to a push that carried no token of its own.
    mutating func judge(_ response: PushResponse, isProbe: Bool) -> Verdict {
        // While it is refused, answers on draining links prove nothing new.
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
        // APNs checks the credential before the device.
        return isProbe && response.advice == .dropToken ? .proven : .nothing
    }

    /// Pushes were accepted whose answers were not judged one by one.
    mutating func noteAccepted() { if refusal == nil { refusedInARow = 0 } }

    // MARK: Refused

    /// The credential is refused, and the connection ends because of it.
    mutating func giveUp(_ refusal: CredentialRefusal) {
        self.refusal = refusal
        isRejectedForGood = true
        isProbing = false
    }

    /// The credential is refused, perhaps again. Returns how long no push probes it: longer each time.
    mutating func suspend(_ refusal: CredentialRefusal, _ now: MonotonicInstant) -> Duration {
        pause = self.refusal == nil ? shortestPause : min(pause * 2, longestPause)
        self.refusal = refusal
        probeEnded(now)
        return pause
    }

    /// Whether the next push may probe the credential.
    func mayProbe(_ now: MonotonicInstant) -> Bool {
        refusal != nil && !isRejectedForGood && !isProbing && nextProbe <= now
    }

    mutating func beginProbe() { isProbing = true }

    /// The probe ended without a result; the next one waits as long as this one did.
    mutating func probeEnded(_ now: MonotonicInstant) {
        isProbing = false
        nextProbe = now.advanced(by: pause)
    }

    /// Another credential replaced it.
    mutating func renew() {
        recover()
        pause = shortestPause
    }

    /// The credential works again.
    mutating func recover() {
        refusal = nil
        isRejectedForGood = false
        isProbing = false
        refusedInARow = 0
    }
}
