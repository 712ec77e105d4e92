import WireTransport

/// The topics that a provider certificate names.
struct CertificateTopics: Sendable {
    /// The topic of pushes that state none, nor do the connection's defaults: the subject's UID, unless the certificate
    /// lists topics and it is none of them.
    let standard: Topic?
    /// The list; empty if there is none, and APNs decides.
    private let listed: Set<String>
    /// What an error says of the list.
    private let text: String
    private static let shown = 10

    init(_ identity: Identity) {
        listed = Set(identity.topics)
        let isStandard = listed.isEmpty || identity.subjectUID.map(listed.contains) == true
        standard = isStandard ? identity.subjectUID.map { Topic(rawValue: $0) } : nil
        let more = identity.topics.count - Self.shown
        text = identity.topics.prefix(Self.shown).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// Whether APNs needs to be told a topic.
    var isRequired: Bool { !listed.isEmpty }

    func check(_ topic: Topic?, _ pushID: PushID?) throws(PushError) {
        guard !listed.isEmpty, let topic, !listed.contains(topic.rawValue) else { return }
        throw .topicNotCovered(text, pushID)
    }
}

extension PushError {
    /// - Parameter topics: the certificate's.
    fileprivate static func topicNotCovered(_ topics: String, _ pushID: PushID?) -> Self {
        Self(
            .invalidRequest, .request, .notSent, pushID: pushID,
            "The push's topic is none of the certificate's, which are \(topics): name one of these, or use the "
                + "certificate of that app.")
    }
}
