/// What a connection sends again by itself, without asking the caller.
public struct ResendPolicy: Sendable, Hashable, CustomStringConvertible {
    private enum Level: UInt8 { case never, unprocessed, unknown }

    private let level: Level

    /// What APNs certainly did not process, in its place in call order, within its deadline, 20 times at most. A
    /// duplicate cannot come of it. The default.
    public static let unprocessed = Self(level: .unprocessed)
    /// Nothing: each push is written once, and what was not processed ends with the error `unprocessed`.
    public static let never = Self(level: .never)
    /// As ``unprocessed``, and also what may have been processed: written, and then the link was lost or the stream
    /// reset without a valid answer. **A duplicate can come of it**; what reached APNs twice bears the same `apns-id`
    /// and `apns-collapse-id` both times, so give the push a collapse id: the device then shows it once.
    ///
    /// Such a push always carries an `apns-id` made here, also where `.byServer` was asked for: two attempts without
    /// one would be two notifications that nobody can tell belong together. What was reported already, as a timed-out
    /// push is, is not sent again. A push that never gets an answer ends with the worst of its attempts: `unknown`.
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
