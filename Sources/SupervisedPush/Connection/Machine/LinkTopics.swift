/// What APNs said on one link about the topics of its pushes.
///
/// APNs ties a link to the apps of the team at the first push of the link. An app that is newer is refused on it, with
/// `TopicDisallowed`, until there is a fresh link.
///
/// A push costs one comparison of references, unless it has other header fields than the push before it.
struct LinkTopics {
    private enum Standing {
        /// A push to it was written before the link had an answer. A fresh link would answer the same.
        case first
        /// A push to it was written later, and none was accepted yet.
        case new
        /// APNs knows it on this link.
        case carried
        /// A fresh link was made for it, and refuses it as well; or it is one of the first.
        case refused
    }

    /// How many topics are remembered. APNs allows 400 for a key; those beyond count as new.
    static let most = 64

    /// The header fields of the latest push.
    private(set) var latest: HeadTemplate?
    /// Some topic waits for its first answer, so answers must be noted.
    private(set) var awaitsProof = false
    private var standings: [Topic: Standing] = [:]

    /// A push with other header fields than the latest one is written. One with a provider token of its own says nothing.
    mutating func wrote(_ template: HeadTemplate, isEarly: Bool) {
        let isKnown = latest?.topic == template.topic && latest?.hasAuthorization == template.hasAuthorization
        latest = template
        guard !isKnown, !template.hasAuthorization, let topic = template.topic, standings[topic] == nil,
            standings.count < Self.most
        else { return }
        standings[topic] = isEarly ? .first : .new
        awaitsProof = true
    }

    /// APNs accepted a push to this topic, or judged its device: it looks at the topic first.
    mutating func carried(_ topic: Topic) {
        guard standings[topic] != nil else { return }
        settle(topic, as: .carried)
    }

    /// APNs refuses this topic.
    ///
    /// - Parameter isAgain: Whether a fresh link was made for this push before.
    /// - Returns: Whether a fresh link may take it.
    mutating func refused(_ topic: Topic, isAgain: Bool) -> Bool {
        switch standings[topic] {
        case .carried, .refused: return false
        case .new, nil: guard isAgain else { return true }
        case .first: break
        }
        if standings.count >= Self.most, standings[topic] == nil { forgetOne() }
        settle(topic, as: .refused)
        return false
    }

    private mutating func settle(_ topic: Topic, as standing: Standing) {
        standings[topic] = standing
        awaitsProof = standings.values.contains { $0 == .first || $0 == .new }
    }

    /// Makes room. If the topic is refused later, it counts as new.
    private mutating func forgetOne() {
        let topic = standings.first { $0.value == .carried }?.key ?? standings.keys.first
        if let topic { standings[topic] = nil }
    }
}

/// How a connection handles refused topics.
extension ConnectionMachine {
    /// Notes what an answer on this link says about the topic of its push, once for each topic.
    mutating func noteTopic(of slot: Int32, on link: LinkID, response: borrowing PushResponse) {
        guard response.judges == nil || response.judges == .device,
            let template = table.record(of: slot)?.head.template,
            !template.hasAuthorization, let topic = template.topic
        else { return }
        modifyLink(link) { $0.topics.carried(topic) }
    }

    /// Handles the refusal of a topic that the link has not carried: the team may have got the app after the link's first
    /// push. True if the push has not ended: it waits again.
    mutating func topicRefused(_ response: PushResponse, of entry: PushEntry, at slot: Int32) -> Bool {
        guard response.reason == .topicDisallowed, credential.refusal == nil,
            let topic = entry.record.head.template.topic
        else { return false }
        var mayHelp = false
        let isAgain = entry.history.wasResentForTopic
        modifyLink(entry.link) { mayHelp = $0.topics.refused(topic, isAgain: isAgain) }
        guard mayHelp else { return false }
        // A draining link's successor is a fresh one.
        if current?.id == entry.link {
            guard credential.topicReplacements.mayBegin(now) else { return false }
            replaceByForce(response.reason?.rawValue, cause: nil)
        }
        guard mayResend(slot) else { return false }
        table[slot]?.history.wasResentForTopic = true
        giveBack(slot, certainty: .unprocessed, cause: .needsFreshLink)
        return true
    }
}
