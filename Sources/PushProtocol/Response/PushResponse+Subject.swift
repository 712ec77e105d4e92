extension PushResponse {
    /// What a rejection is a judgement of. It decides whether other pushes fare better, and whether the same push may
    /// fare better later.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// The device token: it is gone, belongs to another app, or gets too many pushes. Other pushes are not affected.
        case device
        /// This push: its headers or its payload. The same push would be rejected again.
        case push
        /// What all pushes of this sender share: the credential, the provider token, the topic, the address. It says
        /// nothing about device and push, and until it is put right every push is rejected.
        case sender
        /// APNs itself, which does not serve at present. It says nothing about device, push and sender.
        case service
    }

    /// What the rejection is a judgement of: that of its reason, or of its status if the reason is unknown or missing.
    /// Nil for an accepted push.
    ///
    /// A reason about the topic (`BadTopic`, `MissingTopic`, `TopicDisallowed`) is `sender`, because a topic is usually
    /// one for all pushes. If each of your pushes names its own, it concerns that push.
    public var judges: Subject? { isAccepted ? nil : reason?.judges ?? Subject(status: status) }

    /// Whether APNs refuses the credential: status 403 about the certificate, the key or the provider token, an expired
    /// one included. Every push with the credential is rejected then. `TopicMismatch`, which is about one bundle id, is none
    /// of them.
    public var refusesCredential: Bool {
        status == 403 && (advice == .fixCredential || advice == .renewToken) && reason != .topicMismatch
    }
}

extension PushResponse.Subject {
    /// The subject if the reason is unknown or missing.
    public init(status: Int) {
        self =
            switch status {
            case 401, 403, 404, 405, 407: .sender
            case 410, 429: .device
            case 408, 421, 425, 500...: .service
            default: .push
            }
    }

    /// Whether the answer says nothing about device and push, so that the same push may be accepted later, unchanged.
    public var leavesPushOpen: Bool { self == .sender || self == .service }
}

extension RejectionReason {
    /// Whether it is about the topic. A push that names its own topic is judged by it, and no other push.
    package var concernsTopic: Bool {
        switch self {
        case .badTopic, .missingTopic, .topicDisallowed, .topicMismatch, .featureNotEnabled,
            .broadcastFeatureNotEnabled:
            true
        default: false
        }
    }
}
