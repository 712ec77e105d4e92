import PushTransport

/// What answers say about device tokens and their environment.
extension ConnectionProcess {
    /// Counts an answer for what it says about the environment, and the pushes accepted before it. Needed only for
    /// feedback.
    func noteAnswer(_ answer: PushResponse, on link: Link, after accepted: Int = 0) {
        guard entry.hasFeedback else { return }
        guard let credential = link.credential else { return }
        let isBad = answer.status == 400 && answer.reason == .badDeviceToken
        suspectsEnvironment = entry.noteAnswers(
            to: credential, others: isBad ? accepted : accepted + 1, isBad: isBad)
    }

    /// Counts accepted pushes that no other answer follows.
    func noteAccepted(_ count: Int, on link: Link) {
        guard let credential = link.credential else { return }
        suspectsEnvironment = entry.noteAnswers(to: credential, others: count)
    }

    func noteFeedback(_ record: PushRecord, _ response: PushResponse) {
        guard entry.hasFeedback, !response.isAccepted, let deviceToken = record.head.deviceToken else { return }
        let event = FeedbackEvent.from(
            response, connectionName: entry.name, deviceToken: deviceToken,
            callerID: record.callerID, sentID: record.apnsID,
            answeredAt: environment.wallClock(), context: record.context, suspectsEnvironment: suspectsEnvironment)
        if let event { burst.outcomes.feedback.append(event) }
    }
}
