import PushTerminal
import SupervisedPush

/// Whether a wrong clock may be why APNs refuses a provider token: a token contains the time when it was made.
enum TokenClock {
    /// A remark on the clock after a refusal; nil if the clock cannot be the cause.
    ///
    /// - Parameters:
    ///   - reason: APNs' reason.
    ///   - now: This machine's time, in UNIX seconds.
    ///   - sync: What this machine says about its clock.
    static func doubt(_ reason: String?, now: Int64, sync: ClockSync = .now) -> String? {
        let time = belief(now, sync)
        switch reason.map(RejectionReason.init(rawValue:)) {
        case .invalidProviderToken?:
            return "\(time) If that is not the time, the token is wrong because the clock is: set it (NTP) before you"
                + " replace a key."
        case .expiredProviderToken?:
            return "\(time) The token was made by this clock and is not an hour old: the clock is behind. Set it (NTP)."
        default: return nil
        }
    }

    /// What this machine takes for the time, as a sentence.
    static func belief(_ now: Int64, _ sync: ClockSync) -> String {
        let clause = sync.clause.map { " and \($0)" } ?? ""
        return "This machine's clock says \(UTC.text(now))\(clause)."
    }
}
