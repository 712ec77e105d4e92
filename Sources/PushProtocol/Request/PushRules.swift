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

/// Checks a push against the rules of its type.
struct TypeRules {
    let type: PushType
    /// The topic set with the push. A default topic gets its suffix automatically.
    let ownTopic: Topic?
    /// The topic that is sent, as far as it is known.
    let topic: Topic?
    let priority: PushPriority?
    let expiration: Expiration
    let facts: PayloadFacts
    let waived: PushRules

    /// The first rule that it breaks.
    var problem: InvalidPush? {
        waive(.topicSuffix, or: topicProblem) ?? waive(.priority, or: priorityProblem) ?? waive(
            .expiration, or: expirationProblem)
            ?? waive(.content, or: facts.contains(.known) ? contentProblem : nil)
    }

    private func waive(_ rule: PushRules, or problem: @autoclosure () -> InvalidPush?) -> InvalidPush? {
        waived.contains(rule) ? nil : problem()
    }

    private var topicProblem: InvalidPush? {
        if let ownTopic, !ownTopic.rawValue.hasSuffix(type.topicSuffix) {
            return InvalidPush(.topicSuffixMissing, type: type)
        }
        guard let topic, PushType.known.contains(type), let suffix = otherSuffix(of: topic) else { return nil }
        return InvalidPush(.topicSuffixOfOtherType, type: type, key: suffix)
    }

    /// The suffix of another type, at the end of what stands before the suffix of this one.
    private func otherSuffix(of topic: Topic) -> String? {
        let bundleID = topic.rawValue.dropLast(type.topicSuffix.count)
        return PushType.topicSuffixes.first { bundleID.hasSuffix($0) }
    }

    private var priorityProblem: InvalidPush? {
        guard let priority, type.forbids(priority) else { return nil }
        return InvalidPush(.priorityNotPermitted, type: type)
    }

    private var expirationProblem: InvalidPush? {
        if let meant = expiration.headerValue.flatMap({ MeantSeconds(of: $0) }) {
            return InvalidPush(.expirationInMilliseconds, meant: meant)
        }
        return type == .pushToTalk && expiration.headerValue != 0
            ? InvalidPush(.expirationNotPermitted, type: type) : nil
    }

    private var contentProblem: InvalidPush? {
        switch type {
        case .background:
            // Nothing in it may be visible to the user.
            if !facts.contains(.contentAvailable) { return missing("content-available") }
            return facts.contains(.more) ? InvalidPush(.contentNotAlone, type: type) : nil
        case .liveActivity: return activityProblem
        case .widgets, .controls: return facts.contains(.contentChanged) ? nil : missing("content-changed")
        case .mdm: return facts.contains(.mdm) ? nil : missing("mdm")
        case .accessory:
            if let key = AccessoryAnswer.missing(in: facts) { return missing(key) }
            return facts.contains(.noAnswer) ? InvalidPush(.contentNotAlone, type: type) : nil
        case .alert: return facts.contains(.nothing) && !mayBePass ? InvalidPush(.contentMissing, type: type) : nil
        default: return nil
        }
    }

    /// Whether it may tell Wallet of a pass, which takes an empty payload. A certificate may bring its own topic.
    private var mayBePass: Bool { topic?.rawValue.hasPrefix("pass.") ?? true }

    private var activityProblem: InvalidPush? {
        if let problem = dateProblem { return problem }
        if !facts.contains(.timestamp) { return missing("timestamp") }
        if !facts.contains(.event) { return missing("event") }
        if !facts.isDisjoint(with: [.start, .update]), !facts.contains(.contentState) {
            return missing("content-state")
        }
        guard facts.contains(.start) else { return nil }
        if !facts.contains(.attributesType) { return missing("attributes-type") }
        if !facts.contains(.attributes) { return missing("attributes") }
        return facts.contains(.alert) ? nil : missing("alert")
    }

    private var dateProblem: InvalidPush? {
        let dates: [(PayloadFacts, String)] = [
            (.timestampInMilliseconds, "timestamp"), (.staleDateInMilliseconds, "stale-date"),
            (.dismissalDateInMilliseconds, "dismissal-date"),
        ]
        if let date = dates.first(where: { facts.contains($0.0) }) {
            return InvalidPush(.dateInMilliseconds, type: type, key: date.1)
        }
        // The system reads it when the activity ends.
        if facts.contains(.dismissalDate), !facts.isDisjoint(with: [.start, .update]) {
            return InvalidPush(.dateMisplaced, type: type, key: "dismissal-date")
        }
        return nil
    }

    private func missing(_ key: String) -> InvalidPush { InvalidPush(.keyMissing, type: type, key: key) }
}

extension InvalidPush {
    /// The same, with what a date of a Live Activity was meant to be. The facts of a payload do not have its dates.
    func naming(datesOf payload: Payload) -> InvalidPush {
        guard code == .dateInMilliseconds, let key,
            let date = JSONValue(parsing: payload.bytes)?["aps"]?[key]?.numberValue
        else { return self }
        return InvalidPush(code, type: pushType, key: key, meant: MeantSeconds(of: date))
    }
}
