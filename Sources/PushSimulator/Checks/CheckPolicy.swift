/// How strictly a simulated APNs checks beyond what is known about the real one.
public struct Strictness: Sendable, Hashable {
    /// Refuse `apns-push-type: background` with priority 10 (400 `BadPriority`). Apple calls this an error without
    /// documenting the answer.
    public var refusesBackgroundAtOnce: Bool
    /// Refuse a topic without the suffix of its push type (400 `BadTopic`), such as `.voip`.
    public var checksTopicSuffix: Bool
    /// After a refusal other than 410, lower MAX_CONCURRENT_STREAMS to 1 until a push is accepted.
    public var lowersLimitAfterRefusal: Bool
    /// End a connection with GOAWAY after this many refusals other than 410; nil for never.
    public var refusalsUntilGoAway: Int?

    /// Only what is known about APNs.
    public static let lenient = Strictness()
    /// Refuses everything that may be refused. Does not change the stream limit or end connections.
    public static let strict = Strictness(refusesBackgroundAtOnce: true, checksTopicSuffix: true)

    /// Creates a strictness. All four options are off by default.
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

/// The configuration of the checks, shared by all connections of a simulator.
struct CheckPolicy: Sendable {
    var environment: SimulatedEnvironment
    var verifier: TokenVerifier
    var devices: DeviceRegistry
    var channels = ChannelRegistry()
    var strictness = Strictness.lenient
    /// The topics of the teams, with all suffixes; nil allows any.
    var topics: Set<String>?
    /// Topics that came later. They are shared.
    var added = AddedTopics()
    /// MAX_CONCURRENT_STREAMS of an authenticated connection.
    var streamLimit = 1000
    /// How long a connection must keep a provider token before it may send another: 20 minutes.
    var tokenLifetime: Duration = .seconds(1200)
}
