/// The rules that a push is held to before it is sent, so that they can be waived: for what Apple permits tomorrow.
///
/// ```swift
/// notification.waived = .priority                              // for one push
/// RequestDefaults(topic: "com.example.app", waived: [.content]) // for all of a connection
/// ```
/// What would break out of a header field, and a payload that is not JSON, cannot be waived. Push types, priorities, events and reasons that
/// this version does not know always go through.
public struct PushRules: OptionSet, Hashable, Sendable {
    /// One bit a rule.
    public let rawValue: UInt8

    /// Takes rules by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The payload is within the limit of its type.
    public static let payloadSize = PushRules(rawValue: 1 << 0)
    /// The priority is one that the type permits: 5 for `background`, 10 for `voip` and `pushtotalk`, 5 or 10 for `liveactivity`.
    public static let priority = PushRules(rawValue: 1 << 1)
    /// A `pushtotalk` push expires at once.
    public static let expiration = PushRules(rawValue: 1 << 2)
    /// A topic given with the push ends as its type wants it.
    public static let topicSuffix = PushRules(rawValue: 1 << 3)
    /// The payload holds what its type needs, and nothing that it forbids; a broadcast is of the type `liveactivity`.
    public static let content = PushRules(rawValue: 1 << 4)
    /// A `location` push goes with a provider token.
    public static let credential = PushRules(rawValue: 1 << 5)

    /// A broadcast has no collapse id. (The length of one is checked by ``CollapseID/init(_:maxBytes:)``, which takes another limit;
    /// `pushctl send --waive collapse-id` makes use of that.)
    public static let collapseID = PushRules(rawValue: 1 << 6)

    /// All of them.
    public static let all: PushRules = [
        .payloadSize, .priority, .expiration, .topicSuffix, .content, .credential, .collapseID,
    ]

    /// The names of the rules, as errors and `pushctl send --waive` have them.
    package static let names: [(name: String, rule: PushRules)] = [
        ("payload-size", .payloadSize), ("priority", .priority), ("expiration", .expiration),
        ("topic-suffix", .topicSuffix), ("content", .content), ("credential", .credential),
        ("collapse-id", .collapseID),
    ]
}
