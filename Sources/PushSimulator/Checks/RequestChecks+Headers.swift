/// Rows 14 to 21: the headers.
extension RequestChecks {
    static func messageID(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        guard let value = examination.request.messageID else { return nil }
        return PushRequest.isMessageID(value) ? nil : .badMessageID
    }

    /// Only digits, and not more than fit into 64 bits.
    static func expiration(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        guard let value = examination.request.expiration else { return nil }
        let isNumber = !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) } && Int64(value.text) != nil
        return isNumber ? nil : .badExpirationDate
    }

    static func priority(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        let request = examination.request
        if let value = request.priority, !value.equals("10"), !value.equals("5"), !value.equals("1") {
            return .badPriority
        }
        guard examination.policy.strictness.refusesBackgroundAtOnce,
            let pushType = request.pushType, pushType.equals("background")
        else { return nil }
        // Without the header the priority is 10.
        let isImmediate = request.priority?.equals("10") ?? true
        return isImmediate ? .badPriority : nil
    }

    static func pushType(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        guard let value = examination.request.pushType else { return nil }
        return PushKind(value) == nil ? .invalidPushType : nil
    }

    static func collapseID(_ examination: inout Examination, _: inout ConnectionFacts) -> Refusal? {
        guard let value = examination.request.collapseID else { return nil }
        return value.count > 64 ? .badCollapseID : nil
    }

    /// Only a certificate without a list of topics has a default topic: its subject's UID.
    static func topicPresent(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        topic(of: examination.request, facts) == nil ? .missingTopic : nil
    }

    static func topicForm(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard let topic = topic(of: examination.request, facts) else { return nil }
        guard SimulatedTopics.isWellFormed(topic) else { return .badTopic }
        guard let kind = examination.request.pushType.flatMap({ PushKind($0) }) else { return nil }
        if isOfOtherKind(topic, than: kind, policy: examination.policy) { return .invalidPushType }
        guard examination.policy.strictness.checksTopicSuffix else { return nil }
        return topic.ends(with: kind.topicSuffix) ? nil : .badTopic
    }

    /// Whether the topic ends with the suffix of another push type, as `com.example.app.voip` for an alert. APNs answers
    /// `InvalidPushType`, as many reports say. A bundle id may end so itself: then the team has no app of the rest.
    private static func isOfOtherKind(_ topic: Octets, than kind: PushKind, policy: CheckPolicy) -> Bool {
        guard let bundleID = kind.bundleID(ofOthersTopic: topic) else { return false }
        return policy.topics?.contains(bundleID.text) ?? true
    }

    static func topicAllowed(_ examination: inout Examination, _ facts: inout ConnectionFacts) -> Refusal? {
        guard let topic = topic(of: examination.request, facts) else { return nil }
        // The topic of MDM is that of its certificate, and no key has one.
        if case .token = facts.authentication, examination.request.pushType?.equals("mdm") == true {
            return .topicDisallowed
        }
        return facts.knows(topic.text, examination.policy) && facts.covers(topic) ? nil : .topicDisallowed
    }

    /// The topic of a push: that of the header, or the certificate's default.
    static func topic(of request: PushRequest, _ facts: ConnectionFacts) -> Octets? {
        if let topic = request.topic, !topic.isEmpty { return topic }
        guard case .certificate(let certificate) = facts.authentication else { return nil }
        return certificate.defaultTopic
    }
}
