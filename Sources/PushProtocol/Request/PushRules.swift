/// The rules that every push is checked against before it is sent. They can be waived, for what Apple permits later.
///
/// ```swift
/// notification.waived = .priority                              // for one push
/// RequestDefaults(topic: "com.example.app", waived: [.content]) // for all of a connection
/// ```
/// Only these rules can be waived. A missing topic, and a value that a header field or JSON cannot carry, are always
/// refused: see ``InvalidPush/rule``. Push types, priorities, events and reasons that this version does not know are
/// always accepted.
public struct PushRules: OptionSet, Hashable, Sendable {
    /// One bit per rule.
    public let rawValue: UInt8

    /// Creates a set of rules from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The payload does not exceed the limit of its type.
    public static let payloadSize = PushRules(rawValue: 1 << 0)
    /// The type permits the priority: 5 for `background`, 10 for `voip` and `pushtotalk`, 5 or 10 for `liveactivity`.
    public static let priority = PushRules(rawValue: 1 << 1)
    /// A `pushtotalk` push expires at once, and an expiration is in seconds.
    public static let expiration = PushRules(rawValue: 1 << 2)
    /// A topic set with the push ends with the suffix of its type, and no topic with that of another one, such as
    /// `com.example.app.voip` for an alert.
    public static let topicSuffix = PushRules(rawValue: 1 << 3)
    /// The payload contains what its type requires, and nothing that it forbids. A broadcast has the type
    /// `liveactivity`.
    public static let content = PushRules(rawValue: 1 << 4)
    /// A `location` push is sent with a provider token.
    public static let credential = PushRules(rawValue: 1 << 5)

    /// A broadcast has no collapse id. (``CollapseID/init(_:maxBytes:)`` checks the length of a collapse id and accepts
    /// another limit, which `pushctl send --waive collapse-id` uses.)
    public static let collapseID = PushRules(rawValue: 1 << 6)

    /// All rules.
    public static let all: PushRules = [
        .payloadSize, .priority, .expiration, .topicSuffix, .content, .credential, .collapseID,
    ]

    /// The names of the rules in errors and in `pushctl send --waive`.
    package static let names: [(name: String, rule: PushRules)] = [
        ("payload-size", .payloadSize), ("priority", .priority), ("expiration", .expiration),
        ("topic-suffix", .topicSuffix), ("content", .content), ("credential", .credential),
        ("collapse-id", .collapseID),
    ]
}
