import SupervisedPush

/// Whether a clock that is wrong may be why APNs refuses a provider token: a token holds the time when it was made.
package enum TokenClock {
    /// What to say of the clock after a refusal; nil where the clock is no cause of it.
    ///
    /// - Parameters:
    ///   - reason: APNs' reason.
    ///   - now: The time that this machine believes it is, in UNIX seconds.
    package static func doubt(_ reason: String?, now: Int64) -> String? {
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
