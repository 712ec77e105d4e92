/// The header `apns-expiration`: until when APNs keeps a push for a device it cannot reach.
public enum Expiration: Hashable, Sendable {
    /// No header: APNs decides, and keeps the push for up to 30 days. Overrides a default of the connection.
    case byServer
    /// `0`: one attempt, nothing is kept. It is no deadline on our side.
    case immediately
    /// Kept until this time, in seconds since 1970 UTC, from 1 on; 0 is `immediately`. A push that still waits in the runtime
    /// then is not sent any more.
    case at(Int64)

    /// Takes the number as the header has it: 0 is one attempt, anything else a time in seconds since 1970 UTC.
    public init(unixSeconds: Int64) {
        self = unixSeconds == 0 ? .immediately : .at(unixSeconds)
    }

    /// The time at which waiting ends, in seconds since 1970 UTC. Nil for `byServer` and `immediately`, and for `.at(0)`, which
    /// APNs takes for the latter.
    public var waitingEndsAt: Int64? {
        if case .at(let seconds) = self, seconds != 0 { seconds } else { nil }
    }

    /// The number that is sent, nil for no header.
    @inlinable
    package var headerValue: Int64? {
        switch self {
        case .byServer: nil
        case .immediately: 0
        case .at(let seconds): seconds
        }
    }
}
