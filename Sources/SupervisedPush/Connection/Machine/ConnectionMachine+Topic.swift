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
