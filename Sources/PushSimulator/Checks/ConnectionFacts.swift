/// How a provider authenticated when it connected.
enum Authentication {
    /// No client certificate: every push needs a provider token.
    case token
    /// A client certificate; `authorization` is ignored.
    case certificate(ProviderCertificate)
}

/// What the checks remember about a connection between requests.
struct ConnectionFacts {
    let authentication: Authentication
    /// The first accepted provider token. It binds the connection to its team and to related keys.
    var firstToken: VerifiedToken?
    /// The current provider token: its bytes and its content.
    var currentToken: (bytes: Octets, content: VerifiedToken)?
    /// When the current token first arrived; nanoseconds of the monotonic clock.
    var tokenArrivedAt: Int64 = 0
    /// The MAX_CONCURRENT_STREAMS of a connection that nothing limits: the policy's, until a fault says otherwise.
    var fullStreamLimit: Int
    /// The MAX_CONCURRENT_STREAMS that the connection should have. The caller of the checks announces changes.
    var streamLimit: Int
    /// The added topics at its first push, which it keeps; nil before.
    private var added: Set<String>?
    /// How many refusals other than 410 there were.
    var refusals = 0
    /// The row of the order of checks that refused the last push that was refused.
    var lastRefusalRow: Int?

    /// Creates the facts of a new connection. With a certificate it has the full limit; with tokens a limit of 1 until
    /// one is accepted.
    init(_ authentication: Authentication, policy: CheckPolicy) {
        self.authentication = authentication
        fullStreamLimit = policy.streamLimit
        streamLimit =
            switch authentication {
            case .token: min(1, policy.streamLimit)
            case .certificate: policy.streamLimit
            }
    }

    /// Whether a credential was accepted.
    var hasCredential: Bool {
        if case .certificate = authentication { true } else { currentToken != nil }
    }

    /// Whether the provider has no certificate.
    var isByToken: Bool {
        if case .token = authentication { true } else { false }
    }

    /// Who the provider is, by its certificate or its current token.
    var identity: ProviderIdentity? {
        switch authentication {
        case .token: currentToken.map { ProviderIdentity($0.content) }
        case .certificate(let certificate):
            .certificate(subjectUID: certificate.subjectUID, teamID: certificate.teamID)
        }
    }

    /// A push is judged: the first one binds the connection to the apps of the team.
    mutating func bind(_ policy: CheckPolicy) {
        if added == nil { added = policy.added.current }
    }

    /// Whether the team has this topic, as the connection knows it.
    func knows(_ topic: String, _ policy: CheckPolicy) -> Bool {
        guard let topics = policy.topics else { return true }
        return topics.contains(topic) || added?.contains(topic) == true
    }

    /// Whether the credential may push to this topic.
    func covers(_ topic: Octets) -> Bool {
        switch authentication {
        case .token: currentToken?.content.key.covers(topic) ?? true
        case .certificate(let certificate): certificate.covers(topic)
        }
    }
}
