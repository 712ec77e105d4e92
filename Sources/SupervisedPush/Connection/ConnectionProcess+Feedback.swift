import PushTransport

/// The link whose answers are being handled, and what they are known to prove.
struct AnsweringLink {
    private var id: LinkID?
    private(set) var credential: ResolvedCredential?
    /// The fields of the latest push that proved the environment: pushes with the same fields prove nothing new.
    private(set) var provenHead: HeadTemplate?

    mutating func turn(to link: Link) {
        guard link.id != id else { return }
        (id, credential, provenHead) = (link.id, link.credential, nil)
    }

    mutating func proved(by head: HeadTemplate) { provenHead = head }
}

/// What answers say about device tokens and their environment. All connections of a pool are judged together.
extension ConnectionProcess {
    /// Counts an answer for what it says about the environment, and the pushes accepted before it.
    func noteAnswer(_ answer: PushResponse, on link: Link, after accepted: Int = 0) {
        answering.turn(to: link)
        guard let credential = link.credential else { return }
        let isBad = answer.isBadDeviceToken
        entry.credentials.noteAnswers(to: credential, others: isBad ? accepted : accepted + 1, isBad: isBad)
    }

    /// Counts accepted pushes that no other answer follows.
    func noteAccepted(_ count: Int, on link: Link) {
        guard entry.credentials.countsAcceptedPushes, let credential = link.credential else { return }
        entry.credentials.noteAnswers(to: credential, others: count)
    }

    /// Notes what the answer to a push says, and reports a device token that is no longer valid.
    ///
    /// - Returns: Whether the answer probably comes from the wrong environment.
    func noteAnswer(to record: PushRecord, response: borrowing PushResponse) -> Bool {
        if response.isAccepted {
            if record.head.template !== answering.provenHead { noteProof(record) }
            return false
        }
        guard let deviceToken = record.head.deviceToken else { return false }
        if response.status == 410 { noteProof(record) }
        let isSuspect = response.isBadDeviceToken && suspectsEnvironment(record)
        guard entry.hasFeedback else { return isSuspect }
        let event = FeedbackEvent.from(
            copy response, connectionName: entry.name, deviceToken: deviceToken,
            callerID: record.callerID, sentID: record.apnsID,
            answeredAt: environment.wallClock(), context: record.context, suspectsEnvironment: isSuspect)
        if let event { burst.outcomes.feedback.append(event) }
        return isSuspect
    }

    /// Broadcasts go to no device, so they prove nothing.
    private func noteProof(_ record: PushRecord) {
        guard record.head.deviceToken != nil, let credential = answering.credential else { return }
        entry.credentials.noteProof(of: record.head.template.topic, with: credential)
        answering.proved(by: record.head.template)
    }

    private func suspectsEnvironment(_ record: PushRecord) -> Bool {
        guard let credential = answering.credential else { return true }
        return entry.credentials.suspectsEnvironment(of: record.head.template.topic, with: credential)
    }
}

extension PushResponse {
    /// Whether APNs does not know the device token in this environment.
    fileprivate var isBadDeviceToken: Bool { status == 400 && reason == .badDeviceToken }
}

extension OutcomeReceiver.Outcome {
    /// The outcome, if it is an answer, with the suspicion that it comes from the wrong environment.
    var suspectingEnvironment: Self {
        map { response in
            var response = response
            response.suspectsEnvironment = true
            return response
        }
    }
}
