/// The checks of broadcast pushes and of channel management, in order. The first check that fails determines the
/// answer.
///
/// Apple documents no order. Probes show only that the credentials are checked before everything except path and
/// method. The rest is our choice, and clients must not depend on it. The credentials are checked by the same code as
/// those of a device push.
enum ChannelChecks {
    typealias Check = @Sendable (inout ChannelExamination, inout ConnectionFacts) -> Refusal?

    /// For `POST /4/broadcasts/apps/<bundle id>`. The first is row 1.
    static let broadcast: [Check] =
        beginning + [
            channelIDPresent,
            channelIDGood,
            channelRegistered,
            pushTypePresent,
            pushTypeKnown,
            priority,
            expiration,
            { examination, _ in examination.push.request.bodyCount == 0 ? .payloadEmpty : nil },
            { examination, _ in examination.push.request.bodyCount > 5120 ? .payloadTooLarge : nil },
            { examination, _ in examination.push.injected },
        ]

    /// For `/1/apps/<bundle id>/…`. The first is row 1.
    static let management: [Check] =
        beginning + [
            channelIDPresent,
            channelIDGood,
            channelRegistered,
            channelDeletable,
            bodySize,
            bodyObject,
            bodyMembers,
            room,
            { examination, _ in examination.push.injected },
            perform,
        ]

    /// The checks that both begin with.
    private static let beginning: [Check] =
        [
            { examination, _ in examination.push.isDraining ? .shutdown : nil },
            method,
            { examination, _ in examination.action == nil ? .badPath : nil },
        ] + credentials + [requestID, bundleIDForm, bundleIDCovered, featureEnabled]

    /// Rows 6 to 12 of a device push.
    private static let credentials: [Check] = RequestChecks.rows.filter { (6...12).contains($0.number) }.map { row in
        { examination, facts in row.check(&examination.push, &facts) }
    }

    /// Checks one request, performs it, and updates `facts` about the connection.
    static func judge(
        _ examination: consuming ChannelExamination, _ facts: inout ConnectionFacts
    ) -> (verdict: Verdict, reply: ChannelReply) {
        let rows =
            switch examination.request.service {
            case .push: broadcast
            case .management: management
            }
        var refusal: Refusal?
        for check in rows {
            refusal = check(&examination, &facts)
            if refusal != nil { break }
        }
        RequestChecks.applyEffects(of: refusal, examination.push.policy, &facts)
        return (Verdict(refusal: refusal), examination.reply)
    }

    // MARK: Common checks

    private static func method(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        examination.request.resource != .unknown && examination.action == nil ? .methodNotAllowed : nil
    }

    private static func requestID(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        guard let value = examination.request.requestID else { return nil }
        return PushRequest.isMessageID(value) ? nil : .badMessageID
    }

    /// The path must contain the bare bundle id. A bundle id that ends like a topic must be listed in
    /// `enabledBundleIDs`.
    private static func bundleIDForm(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        let bundleID = examination.request.bundleID
        let isTopic = PushKind.suffixes.contains { bundleID.ends(with: $0) }
        return isTopic && !examination.channels.isNamed(bundleID.text) ? .topicDisallowed : nil
    }

    private static func bundleIDCovered(
        _ examination: inout ChannelExamination, _ facts: inout ConnectionFacts
    ) -> Refusal? {
        let bundleID = examination.request.bundleID
        facts.bind(examination.push.policy)
        return facts.knows(bundleID.text, examination.push.policy) && facts.covers(bundleID) ? nil : .topicMismatch
    }

    private static func featureEnabled(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        examination.channels.isEnabled(examination.bundleID) ? nil : .broadcastFeatureNotEnabled
    }

    private static func channelIDPresent(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal?
    {
        switch examination.action {
        case .create, .list, nil: nil
        case .broadcast, .read, .delete: examination.request.channelID == nil ? .missingChannelID : nil
        }
    }

    /// Base64 of valid length and, except for a deletion, an id that exists or existed.
    private static func channelIDGood(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal? {
        switch examination.action {
        case .create, .list, nil:
            return nil
        case .delete:
            return examination.request.channelID.map(ChannelRequest.isChannelID) == true ? nil : .badChannelID
        case .broadcast, .read:
            let state = examination.state
            if case .open(let channel) = state { examination.channel = channel }
            return state == .unknown ? .badChannelID : nil
        }
    }

    private static func channelRegistered(_ examination: inout ChannelExamination, _: inout ConnectionFacts) -> Refusal?
    {
        switch examination.action {
        case .create, .list, .delete, nil: nil
        case .broadcast, .read: examination.channel == nil ? .channelNotRegistered : nil
        }
    }
}
