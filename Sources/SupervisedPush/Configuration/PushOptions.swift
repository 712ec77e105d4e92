/// Options of a single push, beyond its notification.
public struct PushOptions: Sendable {
    /// How long the push may take. Nil: the notification's own timeout, otherwise the connection's. With zero nothing
    /// is sent: the push ends `timed_out` before it can be written. To continue without the answer, use `send` or the
    /// form with a completion.
    public var timeout: Duration?
    /// When the push must have ended: `.now + .seconds(5)`. Default: none. The call converts it to the time that is
    /// left, so under a manual clock use `timeout`.
    public var deadline: ContinuousClock.Instant? {
        get { sinceReference.map { Self.reference.advanced(by: $0) } }
        set { sinceReference = newValue.map { Self.reference.duration(to: $0) } }
    }
    /// The deadline. The standard library does not fix the layout of its instants: stored as one, it would make each
    /// copy of the options a call into the Swift runtime (300 instructions for each push).
    private var sinceReference: Duration?
    /// The time until the deadline.
    var timeLeft: Duration? { sinceReference.map { $0 - Self.reference.duration(to: .now) } }
    private static let reference = ContinuousClock.now
    /// The start of the timeout. Default: the call.
    public var timeoutStart: TimeoutStart
    /// What the connection may resend on its own; nil: as its configuration says.
    public var resend: ResendPolicy?
    /// Which rejections to retry; nil: as the connection's configuration says.
    public var statusRetry: StatusRetryPolicy?
    /// Whether the push waits for earlier pushes to its device; nil: as the connection's configuration says.
    public var ordered: PushOrder?
    /// What to do with the push if the queue is full; nil: as the connection's configuration says.
    public var whenFull: WhenFull?
    /// Which links of a pool it goes to. It has no meaning without a pool. Default: ordinary.
    public var mark: Mark

    /// The options of most pushes: all defaults.
    public init() {
        // Not by the other initializer, whose instant would cost each push a call into the Swift runtime (see above).
        timeoutStart = .call
        mark = .ordinary
    }

    /// Makes options; each has a default.
    public init(
        timeout: Duration? = nil, deadline: ContinuousClock.Instant? = nil, timeoutStart: TimeoutStart = .call,
        resend: ResendPolicy? = nil, statusRetry: StatusRetryPolicy? = nil, ordered: PushOrder? = nil,
        whenFull: WhenFull? = nil, mark: Mark = .ordinary
    ) {
        self.timeout = timeout
        sinceReference = deadline.map { Self.reference.duration(to: $0) }
        self.timeoutStart = timeoutStart
        self.resend = resend
        self.statusRetry = statusRetry
        self.ordered = ordered
        self.whenFull = whenFull
        self.mark = mark
    }

    /// What the caller expects of a push. After rejections, APNs lowers a link's limit, usually to one push at a time.
    @nonexhaustive public enum Mark: Sendable, Hashable {
        /// The push goes to a link whose limit APNs has not lowered, as long as one of those has room.
        case ordinary
        /// The push is likely to be rejected, for example because the device token is of doubtful origin. While a link
        /// with a lowered limit is up, the push waits for such a link, which spares the others.
        case suspect
    }

    /// The start of a timeout.
    @nonexhaustive public enum TimeoutStart: Sendable, Hashable {
        /// The call. The time a push waits counts.
        case call
        /// The latest write. Waiting has no timeout, so an outage pauses a campaign and does not use up its time.
        case write
    }
}
