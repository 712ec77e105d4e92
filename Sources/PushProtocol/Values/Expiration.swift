/// The header `apns-expiration`: until when APNs stores a push for a device that it cannot reach.
public enum Expiration: Hashable, Sendable {
    /// No header: APNs stores the push for up to 30 days. Overrides a default of the connection.
    case byServer
    /// `0`: APNs makes one attempt and stores nothing. It is not a deadline on our side.
    case immediately
    /// Stored until this time, in seconds since 1970 UTC, from 1 on; 0 means `immediately`. A push that is still
    /// waiting in the runtime at that time is not sent.
    case at(Int64)

    /// Creates an expiration from the header's number: 0 is one attempt, anything else a time in seconds since 1970
    /// UTC.
    public init(unixSeconds: Int64) {
        self = unixSeconds == 0 ? .immediately : .at(unixSeconds)
    }

    /// When waiting ends, in seconds since 1970 UTC. Nil for `byServer`, for `immediately`, and for `.at(0)`, which
    /// means the latter to APNs.
    public var waitingEndsAt: Int64? {
        if case .at(let seconds) = self, seconds != 0 { seconds } else { nil }
    }

    /// The number to send; nil for no header.
    @inlinable
    package var headerValue: Int64? {
        switch self {
        case .byServer: nil
        case .immediately: 0
        case .at(let seconds): seconds
        }
    }
}
