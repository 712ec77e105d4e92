import ProcessRuntime

/// The times that can end a push, as instants computed at the call.
struct PushTimes: Sendable {
    /// An instant that never comes.
    static let never = MonotonicInstant(nanoseconds: .max)

    /// How long it may take.
    let timeout: Duration
    /// The end of a timeout that counts from the call; nil if it counts from the latest write.
    let timeoutFromCall: MonotonicInstant?
    /// The caller's absolute deadline.
    let deadline: MonotonicInstant?
    /// When `apns-expiration` ends the waiting; nil for none, and for 0, which means a single attempt by APNs.
    let expiration: MonotonicInstant?

    /// An instant, and which time it belongs to.
    struct Limit: Sendable, Equatable {
        let instant: MonotonicInstant
        let kind: PushError.Deadline
    }

    /// The time that ends the push while it waits.
    var whileWaiting: Limit {
        var limit = Limit(instant: timeoutFromCall ?? Self.never, kind: .timeout)
        if let deadline, deadline < limit.instant { limit = Limit(instant: deadline, kind: .deadline) }
        if let expiration, expiration < limit.instant { limit = Limit(instant: expiration, kind: .expiration) }
        return limit
    }

    /// The time that ends the push once it is written at `instant`. An expiration does not end a push in flight.
    func inFlight(writtenAt instant: MonotonicInstant) -> Limit {
        let limit = Limit(instant: timeoutFromCall ?? instant.advanced(by: timeout), kind: .timeout)
        if let deadline, deadline < limit.instant { return Limit(instant: deadline, kind: .deadline) }
        return limit
    }
}
