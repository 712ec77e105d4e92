/// The topics that a simulated APNs accepts, beside what the key or the certificate of a push covers.
@nonexhaustive public enum SimulatedTopics: Sendable, Hashable {
    /// ``ThrowAwayCredentials/topic`` of the simulator's credentials, and what the push types make of it: `com.example.app.voip`,
    /// `com.example.app.push-type.liveactivity` and so on.
    case ofCredentials
    /// These bundle ids, pass type ids and MDM topics, and what the push types make of them. A list in brackets is one:
    /// `configuration.topics = ["com.example.app", "pass.com.example.ticket"]`.
    case listed(Set<String>)
    /// Any topic that is well-formed.
    case any

    /// The topics with all suffixes; nil for any.
    func allowed(_ credentials: ThrowAwayCredentials) -> Set<String>? {
        switch self {
        case .ofCredentials: Self.derived(from: [credentials.topic])
        case .listed(let topics): Self.derived(from: topics)
        case .any: nil
        }
    }

    /// Whether APNs may have such a topic.
    static func isWellFormed(_ topic: some Collection<UInt8>) -> Bool {
        !topic.isEmpty
            && topic.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    static func derived(from topics: Set<String>) -> Set<String> {
        let suffixes = Set(PushKind.allCases.map(\.topicSuffix.description))
        return Set(topics.flatMap { topic in suffixes.map { topic + $0 } })
    }
}

extension SimulatedTopics: ExpressibleByArrayLiteral {
    /// Lists topics, see ``listed(_:)``.
    public init(arrayLiteral topics: String...) { self = .listed(Set(topics)) }
}
