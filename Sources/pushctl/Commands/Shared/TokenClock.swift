import SupervisedPush

/// Whether a wrong clock may be why APNs refuses a provider token: a token contains the time when it was made.
enum TokenClock {
    /// A remark on the clock after a refusal; nil if the clock cannot be the cause.
    ///
    /// - Parameters:
    ///   - reason: APNs' reason.
    ///   - now: This machine's time, in UNIX seconds.
    static func doubt(_ reason: String?, now: Int64) -> String? {
        let time = "This machine believes that it is \(UTC.text(now))."
        switch reason.map(RejectionReason.init(rawValue:)) {
        case .invalidProviderToken?:
            return "\(time) If that is not the time, the token is wrong because the clock is: set it (NTP) before you"
                + " replace a key."
        case .expiredProviderToken?:
            return "\(time) The token was made by this clock and is not an hour old: the clock is behind. Set it (NTP)."
        default: return nil
        }
    }
}
