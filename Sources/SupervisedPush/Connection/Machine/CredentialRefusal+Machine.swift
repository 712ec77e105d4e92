import PushTransport

extension CredentialRefusal {
    /// What a GOAWAY says about the credential; nil if nothing. A reason about provider tokens counts only on a link on
    /// which no push carried a token of its own.
    init?(goAway text: String?, carriesForeignTokens: Bool) {
        guard let text else { return nil }
        let reason = RejectionReason(rawValue: text)
        switch reason {
        case .badCertificate, .badCertificateEnvironment: break
        case .invalidProviderToken, .missingProviderToken, .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken:
            if carriesForeignTokens { return nil }
        default: return nil
        }
        self.init(
            reason, at: .http2, "APNs refuses the credential (GOAWAY): \(reason). \(reason.meaning) \(reason.remedy)")
    }

    /// What an answer says about the credential; nil if it concerns the push, the token's age, or nothing relevant.
    init?(_ response: PushResponse) {
        guard response.refusesCredential, response.advice != .renewToken else { return nil }
        let said = response.reason.map { "\($0). \($0.meaning) \($0.remedy)" } ?? "403 without a reason."
        self.init(response.reason, at: .apns, "APNs refuses the credential: \(said)")
    }
}

extension PushError {
    /// The error of a push that is not sent, because the credential is refused.
    static func credentialRefused(
        _ pushID: PushID, refusal: CredentialRefusal, certainty: Certainty = .notSent,
        streamID: PushStreamID? = nil
    ) -> Self {
        Self(
            .credentialRefused, at: .apns, certainty: certainty, pushID: pushID, streamID: streamID,
            "\(refusal.description) \(certainty.adviceOnResending)")
    }
}

extension ConnectionFact {
    /// Why the credential is refused, if the fact says so.
    var refusal: CredentialRefusal? {
        switch self {
        case .suspended(let refusal, _), .credentialRefused(let refusal): refusal
        default: nil
        }
    }
}
