/// Rows 6 to 12: the provider token. They do nothing if there is a client certificate.
extension RequestChecks {
    static func providerTokenPresent(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard case .token = facts.authentication else { return nil }
        return examination.request.bearer == nil ? .missingProviderToken : nil
    }

    static func providerTokenGenuine(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard case .token = facts.authentication, let bearer = examination.request.bearer else { return nil }
        if let current = facts.currentToken, current.bytes.equals(bearer) {
            examination.candidate = current.content
        } else {
            examination.candidate = examination.policy.verifier.verify(bearer)
        }
        guard let candidate = examination.candidate else { return .invalidProviderToken }
        let refusal = candidate.refusal(atMilliseconds: examination.wallClock)
        return refusal == .invalidProviderToken ? refusal : nil
    }

    static func providerTokenAge(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        examination.candidate?.refusal(atMilliseconds: examination.wallClock)
    }

    static func providerTokenTeam(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard let candidate = examination.candidate, let first = facts.firstToken else { return nil }
        return candidate.key.teamID == first.key.teamID ? nil : .invalidProviderToken
    }

    static func providerTokenKey(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard let key = examination.candidate?.key else { return nil }
        if let first = facts.firstToken, !first.key.isRelated(to: key) { return .unrelatedKeyIDInToken }
        return key.environments.contains(examination.policy.environment) ? nil : .badEnvironmentKeyInToken
    }

    /// A different token must not arrive too soon after the current one. The first token of a connection is always
    /// allowed.
    static func providerTokenUpdate(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard examination.candidate != nil, let bearer = examination.request.bearer, let current = facts.currentToken,
            !current.bytes.equals(bearer)
        else { return nil }
        let age = Duration.nanoseconds(examination.now - facts.tokenArrivedAt)
        return age < examination.policy.tokenLifetime ? .tooManyProviderTokenUpdates : nil
    }

    /// Never fails. Makes the token the current one; the first token of a connection raises its stream limit.
    static func acceptProviderToken(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard let candidate = examination.candidate, let bearer = examination.request.bearer else { return nil }
        if let current = facts.currentToken, current.bytes.equals(bearer) { return nil }
        // A copy, because the slice would keep the request's header block alive.
        facts.currentToken = (Octets(Array(bearer)), candidate)
        facts.tokenArrivedAt = examination.now
        if facts.firstToken == nil {
            facts.firstToken = candidate
            facts.streamLimit = facts.fullStreamLimit
        }
        return nil
    }
}
