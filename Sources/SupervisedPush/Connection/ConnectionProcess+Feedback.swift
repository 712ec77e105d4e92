import PushTransport

/// What answers say of device tokens, and of the environment they belong to.
extension ConnectionProcess {
    /// Notes what an answer says of the environment, and how many pushes were accepted before it. Only feedback asks
    /// for that.
    func noteAnswer(_ answer: PushResponse, on link: Link, after accepted: Int = 0) {
        guard entry.hasFeedback else { return }
        guard let credential = link.credential else { return }
        let isBad = answer.status == 400 && answer.reason == .badDeviceToken
        suspectsEnvironment = entry.noteAnswers(
            to: credential, others: isBad ? accepted : accepted + 1, isBad: isBad)
    }

    /// Notes accepted pushes behind which nothing else stands.
    func noteAccepted(_ count: Int, on link: Link) {
        guard let credential = link.credential else { return }
        suspectsEnvironment = entry.noteAnswers(to: credential, others: count)
    }

    func noteFeedback(_ record: PushRecord, _ response: PushResponse) {
        guard entry.hasFeedback, !response.isAccepted, let deviceToken = record.head.deviceToken else { return }
        let event = FeedbackEvent.from(
            response, connectionName: entry.name, deviceToken: deviceToken,
            callerID: record.notification.callerID, sentID: record.apnsID,
            answeredAt: environment.wallClock(), context: record.context, suspectsEnvironment: suspectsEnvironment)
        if let event { desk.outcomes.feedback.append(event) }
    }
}
