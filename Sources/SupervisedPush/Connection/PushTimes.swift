import ProcessRuntime

/// When a push must have ended: the instants that can end it, as they were at the call.
struct PushTimes: Sendable {
    /// An instant that never comes.
    static let never = MonotonicInstant(nanoseconds: .max)

    /// How long it may take.
    let timeout: Duration
    /// When the timeout is over if it counts from the call; nil if it counts from the latest write.
    let timeoutFromCall: MonotonicInstant?
    /// The caller's absolute deadline.
    let deadline: MonotonicInstant?
    /// When `apns-expiration` ends the waiting; nil for none and for 0, which is APNs' single attempt.
    let expiration: MonotonicInstant?

    /// An instant, and which of the times it is.
    struct Limit: Sendable, Equatable {
        let instant: MonotonicInstant
        let kind: PushError.Deadline
    }

    /// What ends the push while it waits.
    var whileWaiting: Limit {
        var limit = Limit(instant: timeoutFromCall ?? Self.never, kind: .timeout)
        if let deadline, deadline < limit.instant { limit = Limit(instant: deadline, kind: .deadline) }
        if let expiration, expiration < limit.instant { limit = Limit(instant: expiration, kind: .expiration) }
        return limit
    }

    /// What ends the push once it is written at `instant`: an expiration says nothing of a push in flight.
    func inFlight(writtenAt instant: MonotonicInstant) -> Limit {
        let limit = Limit(instant: timeoutFromCall ?? instant.advanced(by: timeout), kind: .timeout)
        if let deadline, deadline < limit.instant { return Limit(instant: deadline, kind: .deadline) }
        return limit
    }
}
