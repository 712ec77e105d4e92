/// How a provider proved who it is when it connected.
enum Authentication {
    /// No client certificate: every push carries a provider token.
    case token
    /// A client certificate; `authorization` is ignored.
    case certificate(ProviderCertificate)
}

/// What a connection remembers between requests, as far as the checks ask for it.
struct ConnectionFacts {
    let authentication: Authentication
    /// The first provider token that was accepted: it binds the connection to its team and to related keys.
    var firstToken: VerifiedToken?
    /// The provider token in use, by its bytes, and what it says.
    var currentToken: (bytes: Octets, content: VerifiedToken)?
    /// When the token in use arrived first; nanoseconds of the monotonic clock.
    var tokenArrivedAt: Int64 = 0
    /// The MAX_CONCURRENT_STREAMS this connection deserves. Whoever runs the checks announces a change.
    var streamLimit: Int
    /// Refusals other than 410.
    var refusals = 0

    /// A connection as it begins: with a certificate it has the full limit, with tokens a limit of 1 until one is accepted.
    init(_ authentication: Authentication, policy: CheckPolicy) {
        self.authentication = authentication
        streamLimit =
            switch authentication {
            case .token: min(1, policy.streamLimit)
            case .certificate: policy.streamLimit
            }
    }

    /// True where the credential may push to this topic.
    func covers(_ topic: Octets) -> Bool {
        switch authentication {
        case .token: currentToken?.content.key.covers(topic) ?? true
        case .certificate(let certificate): certificate.covers(topic)
        }
    }
}
