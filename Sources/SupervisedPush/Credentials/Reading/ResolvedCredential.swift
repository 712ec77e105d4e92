import PushTransport

/// A credential that was read and checked.
struct ResolvedCredential: Sendable {
    let context: TLSContext
    /// Makes provider tokens; nil in certificate mode.
    let authority: (any TokenIssuer)?
    /// The provider certificate; nil in token mode.
    let identity: Identity?
    /// The certificate's topics; nil in token mode.
    let topics: CertificateTopics?

    /// It is sent in the TLS handshake; no provider token is sent.
    let isCertificate: Bool
    /// The loader of its bytes; nil if they needed none.
    private(set) var loader: CredentialLoader?
    /// False before it is loaded: links cannot use it yet.
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

    /// The loader to call before a link can use it; nil if none is needed.
    ///
    /// - Parameter refreshes: Whether to load it again if it is loaded already.
    func neededLoader(refreshes: Bool) -> CredentialLoader? {
        !isLoaded || authority?.needsLoading == true || refreshes ? loader : nil
    }

    func isSame(as other: ResolvedCredential) -> Bool {
        context === other.context && authority === other.authority && isLoaded && other.isLoaded
    }

    /// APNs needs a topic in token mode, and with a certificate for several topics.
    var requiresTopic: Bool { topics?.isRequired ?? !isCertificate }
}

/// The topics of a provider certificate.
struct CertificateTopics: Sendable {
    /// The topic of pushes without one, if the connection's defaults have none either: the subject's UID, unless the
    /// certificate lists topics without it.
    let standard: Topic?
    /// What it is for: the list, otherwise the subject's UID.
    private let covered: Set<String>
    /// The list; if it is empty, APNs decides.
    private let listed: Set<String>
    /// The list in an error.
    private let text: String
    private static let shown = 10

    init(_ identity: Identity) {
        listed = Set(identity.topics)
        covered = listed.isEmpty ? Set([identity.subjectUID].compactMap(\.self)) : listed
        let isStandard = listed.isEmpty || identity.subjectUID.map(listed.contains) == true
        standard = isStandard ? identity.subjectUID.map { Topic(rawValue: $0) } : nil
        let more = identity.topics.count - Self.shown
        text = identity.topics.prefix(Self.shown).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// Whether APNs needs a topic.
    var isRequired: Bool { !listed.isEmpty }

    /// Its topics that the other certificate is not for. None if the other one names no topics: then APNs decides.
    func lost(to other: CertificateTopics) -> [String] {
        other.covered.isEmpty ? [] : covered.subtracting(other.covered).sorted()
    }

    func check(_ topic: Topic?, pushID: PushID?) throws(PushError) {
        guard !listed.isEmpty, let topic, !listed.contains(topic.rawValue) else { return }
        throw .topicNotCovered(text, pushID: pushID)
    }
}

extension PushError {
    /// - Parameter topics: The certificate's topics.
    fileprivate static func topicNotCovered(_ topics: String, pushID: PushID?) -> Self {
        Self(
            .invalidRequest, at: .request, certainty: .notSent, pushID: pushID,
            "The push's topic is not in the certificate, which is for \(topics): use one of these, or the "
                + "certificate of that app.")
    }
}
