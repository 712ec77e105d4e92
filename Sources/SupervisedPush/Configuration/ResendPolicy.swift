/// What a connection resends on its own.
public struct ResendPolicy: Sendable, Hashable, CustomStringConvertible {
    private enum Level: UInt8 { case never, unprocessed, unknown }

    private let level: Level

    /// Pushes that APNs certainly did not process, in their place in call order, within their deadline, at most 20
    /// times. This cannot cause a duplicate. The default.
    public static let unprocessed = Self(level: .unprocessed)
    /// Nothing. Each push is written once; one that was not processed ends with the error `unprocessed`.
    public static let never = Self(level: .never)
    /// As ``unprocessed``, and also pushes that may have been processed: they were written, and then the link was lost
    /// or the stream was reset without a valid answer. **This can cause a duplicate.** A push that reached APNs twice
    /// has the same `apns-id` and `apns-collapse-id` both times. Give the push a collapse id: the device then shows it
    /// once.
    ///
    /// Such a push always carries an `apns-id` made here, also if `.byServer` was asked for. Without it, the two
    /// attempts would be two unrelated notifications. A push that has been reported already, for example as timed out,
    /// is not resent. A push that never gets an answer ends with the worst of its attempts: `unknown`.
    public static let resendUnknown = Self(level: .unknown)

    /// The policy's name: `never`, `unprocessed` or `unknown`.
    public var description: String {
        switch level {
        case .never: "never"
        case .unprocessed: "unprocessed"
        case .unknown: "unknown"
        }
    }
}
