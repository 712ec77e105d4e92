/// An apns-expiration that has come before the push is made: APNs would never see it.
package enum PastExpiration {
    /// What is wrong, as the end of a sentence; nil for a time to come, for 0, which is a single attempt, and for what
    /// is no time at all.
    ///
    /// - Parameters:
    ///   - expiration: UNIX seconds.
    ///   - now: The same.
    package static func problem(_ expiration: Int64, now: Int64) -> String? {
        guard expiration > 0, expiration <= now else { return nil }
        return "expired \(UTC.text(expiration)), before it was sent"
    }
}
