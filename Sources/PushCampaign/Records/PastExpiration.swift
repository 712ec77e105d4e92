import PushTerminal

/// An apns-expiration that has passed before the push is made: APNs would never see the push.
package enum PastExpiration {
    /// What is wrong, as the end of a sentence; nil for a future time, for 0, which means a single attempt, and for
    /// invalid times.
    ///
    /// - Parameters:
    ///   - expiration: UNIX seconds.
    ///   - now: UNIX seconds.
    package static func problem(_ expiration: Int64, now: Int64) -> String? {
        guard expiration > 0, expiration <= now else { return nil }
        return "expired \(UTC.text(expiration)), before it was sent"
    }
}
