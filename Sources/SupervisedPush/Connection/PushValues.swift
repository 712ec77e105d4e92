import ProcessRuntime

/// The target of a request: pushes to one recipient have an order, and are throttled together.
enum Recipient: Hashable, Sendable {
    case device(DeviceToken)
    case channel(ChannelID)
    /// The management of channels, as one recipient.
    case management
}

/// The times that can end a push, as instants computed at the call.
struct PushTimes: Sendable {
    /// An instant that never comes.
    static let never = MonotonicInstant(nanoseconds: .max)

    // In numbers, and `never` for a time that a push does not have: an optional takes twice the memory.
    private let timeoutNanoseconds: Int64
    private let timeoutEnd: MonotonicInstant
    private let deadline: MonotonicInstant
    private let expiration: MonotonicInstant

    /// - Parameters:
    ///   - timeout: How long it may take.
    ///   - timeoutFromCall: The end of a timeout that counts from the call; nil if it counts from the latest write.
    ///   - deadline: The caller's absolute deadline.
    ///   - expiration: When `apns-expiration` ends the waiting; nil for none, and for 0, which means a single attempt by
    ///     APNs.
    init(
        timeout: Duration, timeoutFromCall: MonotonicInstant?, deadline: MonotonicInstant?,
        expiration: MonotonicInstant?
    ) {
        timeoutNanoseconds = timeout.saturatedNanoseconds
        timeoutEnd = timeoutFromCall ?? Self.never
        self.deadline = deadline ?? Self.never
        self.expiration = expiration ?? Self.never
    }

    /// An instant, and which time it belongs to.
    struct Limit: Sendable, Equatable {
        let instant: MonotonicInstant
        let kind: PushError.Deadline
    }

    /// The time that ends the push while it waits.
    var whileWaiting: Limit {
        let limit = deadline < timeoutEnd ? Limit(instant: deadline, kind: .deadline) : fromCall
        return expiration < limit.instant ? Limit(instant: expiration, kind: .expiration) : limit
    }

    /// The time that ends the push once it is written at `instant`. An expiration does not end a push in flight.
    func inFlight(writtenAt instant: MonotonicInstant) -> Limit {
        let isFromWrite = timeoutEnd == Self.never
        let limit = isFromWrite ? Limit(instant: instant.advanced(by: timeout), kind: .timeout) : fromCall
        return deadline < limit.instant ? Limit(instant: deadline, kind: .deadline) : limit
    }

    /// How long the push has taken at `instant`; nil if its timeout counts from its latest write.
    func taken(at instant: MonotonicInstant) -> Duration? {
        timeoutEnd == Self.never ? nil : timeout - instant.duration(to: timeoutEnd)
    }

    private var fromCall: Limit { Limit(instant: timeoutEnd, kind: .timeout) }

    private var timeout: Duration { .nanoseconds(timeoutNanoseconds) }
}

/// How a push may be resent and retried, and which links it prefers. Sixteen bytes without a reference, copied into
/// every push.
struct PushPolicy: Sendable, Equatable {
    var resend = ResendPolicy.unprocessed
    var ordered = PushOrder.byCall
    /// Its caller expects a rejection, so it prefers links whose limit APNs has lowered.
    private(set) var isSuspect = false
    /// How often an answer may be retried. 0 costs nothing.
    private(set) var retries: UInt8 = 0
    private(set) var statuses: StatusRetryPolicy.Statuses = []
    private var firstDelay: UInt32 = 0
    private var longestDelay: UInt32 = 0

    init(
        resend: ResendPolicy = .unprocessed, ordered: PushOrder = .byCall, statusRetry: StatusRetryPolicy = .never
    ) {
        self.resend = resend
        self.ordered = ordered
        self.statusRetry = statusRetry
    }

    /// The connection's policy, with what the push's options change.
    init(_ own: PushPolicy, options: PushOptions) {
        self = own
        if let resend = options.resend { self.resend = resend }
        if let ordered = options.ordered { self.ordered = ordered }
        if let retry = options.statusRetry { statusRetry = retry }
        isSuspect = options.mark == .suspect
    }

    /// True if the push waits after APNs said TooManyRequests about its device.
    var waitsForThrottle: Bool { statuses.contains(.tooManyRequests) }

    /// True if the push may have to wait for others to its device. All other pushes need no lookup.
    var mayQueueForDevice: Bool { ordered == .perDevice || waitsForThrottle }

    /// The retries, their pauses in milliseconds.
    var statusRetry: StatusRetryPolicy {
        get {
            StatusRetryPolicy(
                retries: Int(retries), statuses: statuses, firstDelay: .milliseconds(Int64(firstDelay)),
                longestDelay: .milliseconds(Int64(longestDelay)))
        }
        set {
            retries = UInt8(clamping: newValue.retries)
            statuses = newValue.retries > 0 ? newValue.statuses : []
            firstDelay = Self.milliseconds(newValue.firstDelay)
            longestDelay = Self.milliseconds(newValue.longestDelay)
        }
    }

    /// Whole milliseconds, clamped to 32 bits, because a policy is stored before it is validated.
    private static func milliseconds(_ time: Duration) -> UInt32 {
        UInt32(clamping: time.saturatedNanoseconds / 1_000_000)
    }
}

extension PushPolicy {
    init(_ config: PushConnection.Configuration) {
        self.init(resend: config.retry.resend, ordered: config.ordered, statusRetry: config.retry.statusRetry)
    }
}
