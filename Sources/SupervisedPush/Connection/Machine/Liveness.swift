import ProcessRuntime

/// The signs of life of one link, and the reaction to its silence: send a PING, hold pushes back, give the link up, or
/// replace it.
///
/// While pushes flow, it costs one store per answer and per burst of bytes. The oldest unanswered push is not stored;
/// the caller searches for it when a check is due, every few seconds.
struct Liveness {
    /// The result of a check.
    enum Finding: Equatable {
        case fine
        /// Send a PING with this id.
        case ping(UInt64)
        /// A PING was not answered in time.
        case lost
        /// PINGs are answered, but pushes are not. Reported once.
        case stalled
    }

    /// The round trip of the latest answered PING; nil before the first.
    private(set) var rtt: Duration?
    /// True while pushes are held until a PING is answered.
    private(set) var isHolding = false
    private var hasStalled = false
    /// When the link counts as quiet, unless bytes arrive.
    private(set) var quietAt: MonotonicInstant
    private var idlePingAt: MonotonicInstant
    private var lastAnswer: MonotonicInstant
    /// When the earliest push was written whose stream we have reset since the last answer.
    private var givenUpSince = Self.never
    /// When unanswered pushes are checked next.
    private var nextLook = Self.never
    /// The PING that is not answered yet; 0 if there is none.
    private var pending: UInt64 = 0
    private var pingDeadline = Self.never
    private var pings: UInt64 = 0
    /// When the latest PING was sent, or the latest one was answered.
    private var lastPing: MonotonicInstant
    private var lastAnsweredPing: MonotonicInstant

    private static let never = MonotonicInstant.distantFuture
    private static let longAgo = MonotonicInstant(nanoseconds: .min)

    /// The liveness of a link that has just come up.
    init(_ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness) {
        quietAt = now.advanced(by: policy.quiet)
        idlePingAt = now.advanced(by: policy.idlePing)
        lastAnswer = now
        lastPing = Self.longAgo
        lastAnsweredPing = Self.longAgo
    }

    // MARK: What happens

    /// Bytes arrived.
    mutating func received(_ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness) {
        quietAt = now.advanced(by: policy.quiet)
        idlePingAt = now.advanced(by: policy.idlePing)
    }

    /// A push was answered.
    mutating func answered(_ now: MonotonicInstant) {
        lastAnswer = now
        givenUpSince = Self.never
    }

    /// A push was written.
    mutating func wrote(_ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness) {
        guard nextLook == Self.never, pending == 0 else { return }
        nextLook = now.advanced(by: min(policy.unanswered, policy.stall))
    }

    /// We reset the stream of an unanswered push that was written at `instant`.
    mutating func gaveUp(writtenAt instant: MonotonicInstant) { givenUpSince = min(givenUpSince, instant) }

    /// A PING was answered; false if it is not the pending one.
    mutating func pong(_ id: UInt64, _ now: MonotonicInstant) -> Bool {
        guard id == pending, pending != 0 else { return false }
        rtt = lastPing.duration(to: now)
        lastAnsweredPing = lastPing
        pending = 0
        pingDeadline = Self.never
        isHolding = false
        nextLook = now
        return true
    }

    // MARK: Reactions

    /// True while the next pushes must be held back.
    func holds(_ now: MonotonicInstant) -> Bool { isHolding || quietAt <= now }

    /// Holds pushes back from now on; returns the id of the PING to send, or nil if one is pending already.
    mutating func hold(_ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness) -> UInt64? {
        isHolding = true
        return pending == 0 ? ping(now, policy: policy) : nil
    }

    /// When the next check is due at the latest.
    var nextWake: MonotonicInstant { min(pingDeadline, nextLook, pending == 0 ? idlePingAt : Self.never) }

    /// Checks the link, if a check is due.
    ///
    /// - Parameter oldestWrite: When the oldest unanswered push on an open stream of this link was written; nil if
    ///   there is none.
    mutating func check(
        _ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness, oldestWrite: MonotonicInstant?
    ) -> Finding {
        if pingDeadline <= now { return .lost }
        if nextLook <= now {
            let finding = lookAtPushes(now, policy: policy, oldestWrite: oldestWrite)
            guard finding == .fine else { return finding }
        }
        return pending == 0 && idlePingAt <= now ? .ping(ping(now, policy: policy)) : .fine
    }

    private mutating func lookAtPushes(
        _ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness, oldestWrite: MonotonicInstant?
    ) -> Finding {
        nextLook = Self.never
        guard var oldest = oldestWrite else {
            givenUpSince = Self.never
            return .fine
        }
        oldest = min(oldest, givenUpSince)
        let since = max(lastAnswer, oldest)
        let stallAt = hasStalled ? Self.never : since.advanced(by: policy.stall)
        let hasStood = stallAt <= now
        if hasStood, lastAnsweredPing >= since {
            hasStalled = true
            nextLook = max(oldest, lastPing).advanced(by: policy.unanswered)
            return .stalled
        }
        if !hasStood { nextLook = stallAt }
        guard pending == 0 else { return .fine }
        // Only the answer to a PING tells whether the link is dead or the pushes stall.
        let pingAt = hasStood ? now : max(oldest, lastPing).advanced(by: policy.unanswered)
        if pingAt <= now { return .ping(ping(now, policy: policy)) }
        nextLook = min(nextLook, pingAt)
        return .fine
    }

    private mutating func ping(_ now: MonotonicInstant, policy: PushConnection.Configuration.Liveness) -> UInt64 {
        pings += 1
        pending = pings
        lastPing = now
        pingDeadline = now.advanced(by: policy.pingTimeout)
        return pings
    }
}
