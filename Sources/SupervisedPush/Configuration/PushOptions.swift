/// What one push asks for beyond its notification.
public struct PushOptions: Sendable {
    /// How long the push may take; nil: the notification's own timeout, else the connection's. Zero sends nothing: the
    /// push ends `timed_out` before it can be written. To go on without the answer, use `send` or the form with a
    /// completion.
    public var timeout: Duration?
    /// When it must have ended at the latest: `.now + .seconds(5)`. Default: none. At the call it becomes the time that
    /// is left, so under a manual clock use `timeout`.
    public var deadline: ContinuousClock.Instant?
    /// What the timeout counts from. Default: from the call.
    public var timeoutStart: TimeoutStart
    /// What may be sent again by itself; nil: as the connection's configuration says.
    public var resend: ResendPolicy?
    /// Which rejections are retried; nil: as the connection's configuration says.
    public var statusRetry: StatusRetryPolicy?
    /// Whether it waits for earlier pushes to its device; nil: as the connection's configuration says.
    public var ordered: PushOrder?
    /// What becomes of it if the queue is full; nil: as the connection's configuration says.
    public var whenFull: WhenFull?
    /// Which links of a pool it goes to; without a pool it has no meaning. Default: ordinary.
    public var mark: Mark

    /// Makes options; each has a default.
    public init(
        timeout: Duration? = nil, deadline: ContinuousClock.Instant? = nil, timeoutStart: TimeoutStart = .call,
        resend: ResendPolicy? = nil, statusRetry: StatusRetryPolicy? = nil, ordered: PushOrder? = nil,
        whenFull: WhenFull? = nil, mark: Mark = .ordinary
    ) {
        self.timeout = timeout
        self.deadline = deadline
        self.timeoutStart = timeoutStart
        self.resend = resend
        self.statusRetry = statusRetry
        self.ordered = ordered
        self.whenFull = whenFull
        self.mark = mark
    }

    /// What the caller thinks of a push: APNs lowers a link's limit, mostly to one push at a time, after rejections.
    @nonexhaustive public enum Mark: Sendable, Hashable {
        /// Goes to a link whose limit APNs has not lowered, as long as one of those has room.
        case ordinary
        /// Likely to be rejected, for example to a device token of doubtful origin. It waits for a link whose limit is
        /// lowered already, while one is up, and so spares the others.
        case suspect
    }

    /// What a timeout counts from.
    @nonexhaustive public enum TimeoutStart: Sendable, Hashable {
        /// From the call: waiting counts.
        case call
        /// From the latest write: waiting has no timeout, so an outage pauses a campaign and does not burn it.
        case write
    }
}
