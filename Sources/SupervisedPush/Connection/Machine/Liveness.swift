import ProcessRuntime

/// What one link shows of being alive, and what silence on it calls for: a PING, holding pushes back, giving the link
/// up, replacing it.
///
/// Where pushes flow it costs a store per answer and per burst of bytes. Which unanswered push is the oldest is not
/// kept but looked up, by the caller, when a look is due: every few seconds.
struct Liveness {
    /// What a look at the link found.
    enum Finding: Equatable {
        case fine
        /// Send a PING with this id.
        case ping(UInt64)
        /// A PING was not answered in time.
        case lost
        /// PINGs are answered, pushes are not. Found once.
        case stalled
    }

    /// The round trip of the latest answered PING; nil before the first.
    private(set) var rtt: Duration?
    /// True while pushes are held until a PING is answered.
    private(set) var isHolding = false
    private var hasStalled = false
    /// From here on the link counts as quiet, unless bytes arrive.
    private(set) var quietAt: MonotonicInstant
    private var idlePingAt: MonotonicInstant
    private var lastAnswer: MonotonicInstant
    /// When the earliest push was written that was given up since the last answer: its stream was reset by us.
    private var givenUpSince = Self.never
    /// When unanswered pushes are looked at next.
    private var nextLook = Self.never
    /// The PING whose answer is awaited. 0: none.
    private var pending: UInt64 = 0
    private var pingDeadline = Self.never
    private var pings: UInt64 = 0
    /// When the latest PING was sent, and the latest that was answered.
    private var lastPing: MonotonicInstant
    private var lastAnsweredPing: MonotonicInstant

    private static let never = MonotonicInstant.distantFuture
    private static let longAgo = MonotonicInstant(nanoseconds: .min)

    /// The liveness of a link that comes up now.
    init(_ now: MonotonicInstant, _ policy: LivenessPolicy) {
        quietAt = now.advanced(by: policy.quiet)
        idlePingAt = now.advanced(by: policy.idlePing)
        lastAnswer = now
        lastPing = Self.longAgo
        lastAnsweredPing = Self.longAgo
    }

    // MARK: What happens

    /// Bytes arrived.
    mutating func received(_ now: MonotonicInstant, _ policy: LivenessPolicy) {
        quietAt = now.advanced(by: policy.quiet)
        idlePingAt = now.advanced(by: policy.idlePing)
    }

    /// A push was answered.
    mutating func answered(_ now: MonotonicInstant) {
        lastAnswer = now
        givenUpSince = Self.never
    }

    /// A push was written.
    mutating func wrote(_ now: MonotonicInstant, _ policy: LivenessPolicy) {
        guard nextLook == Self.never, pending == 0 else { return }
        nextLook = now.advanced(by: min(policy.unanswered, policy.stall))
    }

    /// We reset the stream of a push that was written at `instant` and is not answered.
    mutating func gaveUp(writtenAt instant: MonotonicInstant) { givenUpSince = min(givenUpSince, instant) }

    /// A PING was answered; false if it is not the one that is awaited.
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

    // MARK: What it calls for

    /// True while the next pushes must be held.
    func holds(_ now: MonotonicInstant) -> Bool { isHolding || quietAt <= now }

    /// Holds pushes from now on; the id of the PING to send for it, nil if one is on its way already.
    mutating func hold(_ now: MonotonicInstant, _ policy: LivenessPolicy) -> UInt64? {
        isHolding = true
        return pending == 0 ? ping(now, policy) : nil
    }

    /// When the next look is due at the latest.
    var nextWake: MonotonicInstant { min(pingDeadline, nextLook, pending == 0 ? idlePingAt : Self.never) }

    /// Looks at the link, if a look is due.
    ///
    /// - Parameter oldestWrite: When the oldest push was written that is unanswered on an open stream of this link; nil
    ///   if there is none.
    mutating func look(
        _ now: MonotonicInstant, _ policy: LivenessPolicy, oldestWrite: MonotonicInstant?
    ) -> Finding {
        if pingDeadline <= now { return .lost }
        if nextLook <= now {
            let finding = lookAtPushes(now, policy, oldestWrite)
            guard finding == .fine else { return finding }
        }
        return pending == 0 && idlePingAt <= now ? .ping(ping(now, policy)) : .fine
    }

    private mutating func lookAtPushes(
        _ now: MonotonicInstant, _ policy: LivenessPolicy, _ oldestWrite: MonotonicInstant?
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
        // Without the answer to a PING nobody knows whether it is the link that is dead, or the pushes that stall.
        let pingAt = hasStood ? now : max(oldest, lastPing).advanced(by: policy.unanswered)
        if pingAt <= now { return .ping(ping(now, policy)) }
        nextLook = min(nextLook, pingAt)
        return .fine
    }

    private mutating func ping(_ now: MonotonicInstant, _ policy: LivenessPolicy) -> UInt64 {
        pings += 1
        pending = pings
        lastPing = now
        pingDeadline = now.advanced(by: policy.pingTimeout)
        return pings
    }
}
