/// Which rejections a connection retries, how often, and after which pauses. Off by default.
///
/// Only 429, 500 and 503 can be retried. APNs says that every other rejection remains until its cause is fixed.
/// `TooManyProviderTokenUpdates` (429) is not retried either, because a retry makes it worse.
///
/// The pauses grow as 1, 2, 4 … times ``firstDelay`` up to ``longestDelay``. Each is shortened at random to between
/// half and all of itself. A retry is made only
/// - within the push's deadline: if the pause would outlast it, the push ends at once,
/// - within the connection's **retry budget**: at most a tenth of the pushes that ask for retries, with ten to begin
///   with and one more each second, so that retries do not overload a failing APNs. At most 1,000 are saved up,
/// - while fewer pushes than ``PushConnection/Configuration/Limits/maxWaiting`` wait for a retry or their turn: a push
///   that pauses counts against no other limit,
/// - while the connection's **breaker** is closed. It opens for 30 s if at least twenty answers of the last ten seconds
///   were 500 or 503, and at least half of all answers; it closes earlier if fewer than half are. It is evaluated when
///   a retry is about to be made, so the order in which a burst's answers arrive does not matter.
///
/// A push that one of these holds back ends with its answer, and `PushResponse.retryHeldBack` says which one it was.
///
/// If the answer has `Retry-After` (RFC 9110, section 10.2.3, seconds or a date), the pause begins after that time, at
/// most 5 minutes later.
///
/// A push with retries ends with its last answer, also if its time is over before it goes again, or if APNs does not
/// process the retry. If the retry may have been processed, the push ends ``Certainty/unknown``.
///
/// After `TooManyRequests` (429), later pushes to that device that ask for retries wait as well: 1 s, doubling up to
/// 60 s with each further 429. Then one push goes first, and the others follow. 10,000 devices are remembered.
public struct StatusRetryPolicy: Sendable, Hashable {
    /// A set of statuses.
    public struct Statuses: OptionSet, Sendable, Hashable {
        /// One bit per status.
        public let rawValue: UInt8
        /// Makes a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// 429: `TooManyRequests`, too many pushes in a row to one device.
        public static let tooManyRequests = Self(rawValue: 1)
        /// 500: `InternalServerError`.
        public static let internalServerError = Self(rawValue: 2)
        /// 503: `ServiceUnavailable` and `Shutdown`.
        public static let serviceUnavailable = Self(rawValue: 4)
        /// All three.
        public static let all: Self = [.tooManyRequests, .internalServerError, .serviceUnavailable]

        func contains(status: Int) -> Bool {
            switch status {
            case 429: contains(.tooManyRequests)
            case 500: contains(.internalServerError)
            case 503: contains(.serviceUnavailable)
            default: false
            }
        }
    }

    /// How often one push is retried, 0 to 19; 0 means never. All attempts together, resends included, are at most 20.
    public var retries: Int
    /// Which statuses are retried. Default: all three.
    public var statuses: Statuses
    /// The pause before the first retry, before random shortening: 1 ms to a day. Default 1 s.
    public var firstDelay: Duration
    /// The longest pause, not below ``firstDelay``, a day at most. Default 30 s.
    public var longestDelay: Duration

    /// No retries: the caller gets the rejection. The default of a connection.
    public static let never = Self(retries: 0)

    /// Retries this often; everything else has a documented default.
    public init(
        retries: Int, statuses: Statuses = .all, firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(30)
    ) {
        self.retries = retries
        self.statuses = statuses
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// What is wrong with the values, in a sentence; nil if they are valid.
    var problem: String? {
        if !(0...19).contains(retries) { return "statusRetry.retries is \(retries): it must be 0 to 19." }
        if firstDelay < .milliseconds(1) || firstDelay > .seconds(86_400) {
            return "statusRetry.firstDelay is \(firstDelay): it must be 1 ms to a day."
        }
        if longestDelay < firstDelay || longestDelay > .seconds(86_400) {
            return "statusRetry.longestDelay is \(longestDelay): it must be firstDelay to a day."
        }
        return nil
    }
}
