/// Why a push ended without an answer, and what is known of its fate.
///
/// A rejection by APNs is not an error: it is an answer, see `PushResponse`. The sentence in ``description`` says what
/// happened and what to do; it never shows a key, a provider token, a payload or a whole device token.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// How full the connection was.
    public struct Load: Sendable, Hashable {
        /// Pushes written and not answered.
        public let inFlight: Int
        /// Pushes that wait to be written, those answered whose completion has not returned included.
        public let waiting: Int
        /// How many may wait.
        public let limit: Int
    }

    /// Which of a push's times was over first.
    public enum Deadline: String, Sendable, Hashable {
        /// The timeout, counted from the call or from the write.
        case timeout
        /// The absolute deadline.
        case deadline
        /// `apns-expiration`.
        case expiration
    }

    /// What went wrong.
    public let code: PushErrorCode
    /// Where it went wrong.
    public let layer: ErrorLayer
    /// Whether APNs may have processed the push.
    public let certainty: Certainty
    /// The push; nil if none was made, as for an unknown name.
    public let pushID: PushID?
    /// The stream of the push's last attempt; nil if it never had one.
    public let streamID: PushStreamID?
    /// How full the connection was, where that is the reason.
    public let load: Load?
    /// Which time was over, for `timedOut` and `expired`.
    public let deadline: Deadline?
    /// How an earlier attempt ended unknown, where that makes the push `unknown` and not its last attempt:
    /// `connectionLost`, `streamReset` or `badResponse`. Only with ``ResendPolicy/resendUnknown``; nil otherwise.
    public internal(set) var unknownAttempt: PushErrorCode?
    /// What happened and what to do, one sentence or two.
    public let description: String

    init(
        _ code: PushErrorCode, _ layer: ErrorLayer, _ certainty: Certainty, pushID: PushID? = nil,
        streamID: PushStreamID? = nil, load: Load? = nil, deadline: Deadline? = nil, _ description: String
    ) {
        self.code = code
        self.layer = layer
        self.certainty = certainty
        self.pushID = pushID
        self.streamID = streamID
        self.load = load
        self.deadline = deadline
        self.description = description
    }
}
