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
    init(_ own: PushPolicy, _ options: PushOptions) {
        self = own
        if let resend = options.resend { self.resend = resend }
        if let ordered = options.ordered { self.ordered = ordered }
        if let retry = options.statusRetry { statusRetry = retry }
        isSuspect = options.mark == .suspect
    }

    /// True if the push waits after APNs said TooManyRequests about its device.
    var waitsForThrottle: Bool { statuses.contains(.tooManyRequests) }

    /// True if the push may have to wait for others to its device. All other pushes need no lookup.
    var mayStandInLine: Bool { ordered == .perDevice || waitsForThrottle }

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
    init(_ config: ConnectionConfig) {
        self.init(resend: config.resend, ordered: config.ordered, statusRetry: config.statusRetry)
    }
}
