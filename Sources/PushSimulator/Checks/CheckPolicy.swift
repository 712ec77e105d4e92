/// What a simulated APNs is strict about beyond what is certain of the real one.
public struct Strictness: Sendable, Hashable {
    /// Refuse `apns-push-type: background` with priority 10 (400 `BadPriority`). Apple calls the pair an error without saying how it is answered.
    public var refusesBackgroundAtOnce: Bool
    /// Refuse a topic without the suffix of its push type (400 `BadTopic`), such as `.voip`.
    public var checksTopicSuffix: Bool
    /// After a refusal other than a 410, lower MAX_CONCURRENT_STREAMS to 1 until a push is accepted.
    public var lowersLimitAfterRefusal: Bool
    /// After so many refusals other than 410 on one connection, end it with GOAWAY; nil for never.
    public var refusalsUntilGoAway: Int?

    /// Only what is known of APNs.
    public static let lenient = Strictness()
    /// Everything that may be refused is refused; the stream limit stays, and so does the connection.
    public static let strict = Strictness(refusesBackgroundAtOnce: true, checksTopicSuffix: true)

    /// All four are off by default.
    public init(
        refusesBackgroundAtOnce: Bool = false, checksTopicSuffix: Bool = false, lowersLimitAfterRefusal: Bool = false,
        refusalsUntilGoAway: Int? = nil
    ) {
        self.refusesBackgroundAtOnce = refusesBackgroundAtOnce
        self.checksTopicSuffix = checksTopicSuffix
        self.lowersLimitAfterRefusal = lowersLimitAfterRefusal
        self.refusalsUntilGoAway = refusalsUntilGoAway
    }
}

/// What all connections of one simulator are judged by.
struct CheckPolicy: Sendable {
    var environment: SimulatedEnvironment
    var verifier: TokenVerifier
    var devices: DeviceRegistry
    var channels = ChannelRegistry()
    var strictness = Strictness.lenient
    /// The topics of the team; nil for any.
    var topics: Set<String>?
    /// MAX_CONCURRENT_STREAMS for a connection that has proved itself.
    var streamLimit = 1000
    /// How long a provider token must be kept on a connection before another may follow: 20 minutes.
    var tokenLifetime: Duration = .seconds(1200)
}
