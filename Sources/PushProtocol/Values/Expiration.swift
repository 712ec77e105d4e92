import FoundationEssentials

/// The header `apns-expiration`: until when APNs stores a push for a device that it cannot reach.
///
/// ```swift
/// notification.expiration = .after(.seconds(3_600))
/// ```
public struct Expiration: Hashable, Sendable {
    /// The number to send; nil for no header.
    package let headerValue: Int64?

    /// No header: APNs stores the push for up to 30 days. Overrides a default of the connection.
    public static let byServer = Expiration(headerValue: nil)
    /// `0`: APNs makes one attempt and stores nothing. It is not a deadline on our side.
    public static let immediately = Expiration(unixSeconds: 0)

    /// Stored until this time, which is rounded down to the second. A push that is still waiting in the runtime at that
    /// time is not sent. 1970 itself is ``immediately``; earlier times are refused when the push is checked.
    public static func at(_ date: Date) -> Expiration { Expiration(unixSeconds: date.unixSeconds) }

    /// Stored for this time from now on, at least a second: see ``at(_:)``. A notification that you make once and push for
    /// days has one time for all of it.
    public static func after(_ time: Duration, from start: Date = .now) -> Expiration {
        .at(start.after(max(time, .seconds(1))))
    }

    private init(headerValue: Int64?) { self.headerValue = headerValue }

    /// Creates an expiration from the header's number: 0 is one attempt, anything else a time in seconds since 1970
    /// UTC.
    public init(unixSeconds: Int64) { headerValue = unixSeconds }

    /// The header's number: 0 for one attempt, otherwise a time in seconds since 1970 UTC. Nil for no header.
    public var unixSeconds: Int64? { headerValue }

    /// When waiting ends. Nil for ``byServer`` and ``immediately``.
    public var waitingEndsAt: Date? { waitingEndsAtSeconds.map { Date(unixSeconds: $0) } }

    /// When waiting ends, in seconds since 1970 UTC.
    package var waitingEndsAtSeconds: Int64? { headerValue == 0 ? nil : headerValue }
}

extension Expiration: CustomStringConvertible {
    /// `by server`, `immediately`, or the time: `at 2030-03-17T17:46:40Z`.
    public var description: String {
        switch headerValue {
        case nil: "by server"
        case 0: "immediately"
        case let seconds?: "at \(Date(unixSeconds: seconds).text)"
        }
    }
}
