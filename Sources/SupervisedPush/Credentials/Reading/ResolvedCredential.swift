import PushTransport

/// What a credential became.
struct ResolvedCredential: Sendable {
    let context: TLSContext
    /// Makes provider tokens; nil in certificate mode.
    let authority: (any TokenIssuer)?
    /// The provider certificate; nil in token mode.
    let identity: Identity?
    /// What the certificate says of topics; nil in token mode.
    let topics: CertificateTopics?

    /// It is shown in the TLS handshake, and no provider token is sent.
    let isCertificate: Bool
    /// What loads its bytes; nil if they were at hand.
    private(set) var loader: CredentialLoader?
    /// False before that: nothing can be shown.
    let isLoaded: Bool

    init(
        context: TLSContext, authority: (any TokenIssuer)?, identity: Identity?, isCertificate: Bool,
        loader: CredentialLoader? = nil, isLoaded: Bool = true
    ) {
        self.context = context
        self.authority = authority
        self.identity = identity
        self.isCertificate = isCertificate
        self.loader = loader
        self.isLoaded = isLoaded
        topics = identity.map { CertificateTopics($0) }
    }

    func loaded(by loader: CredentialLoader) -> Self {
        var copy = self
        copy.loader = loader
        return copy
    }

    /// What loads it before a link can show it; nil if it is at hand.
    ///
    /// - Parameter refreshes: Whether one that was loaded before is loaded again.
    func neededLoader(refreshes: Bool) -> CredentialLoader? {
        !isLoaded || authority?.needsLoading == true || refreshes ? loader : nil
    }

    func isSame(as other: ResolvedCredential) -> Bool {
        context === other.context && authority === other.authority && isLoaded && other.isLoaded
    }

    /// APNs needs a topic in token mode, and with a certificate that names several.
    var requiresTopic: Bool { topics?.isRequired ?? !isCertificate }
}

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
    /// - Parameter topics: The certificate's.
    fileprivate static func topicNotCovered(_ topics: String, _ pushID: PushID?) -> Self {
        Self(
            .invalidRequest, .request, .notSent, pushID: pushID,
            "The push's topic is none of the certificate's, which are \(topics): name one of these, or use the "
                + "certificate of that app.")
    }
}
