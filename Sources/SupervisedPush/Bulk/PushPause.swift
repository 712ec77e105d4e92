/// Why a bulk or a worker pauses: APNs refuses what all its pushes share, or does not serve.
public struct PushPause: Sendable {
    /// The answer that says so. Its reason and advice say what to do.
    public let response: PushResponse
    /// What it judges: `sender` or `service`.
    public let judges: PushResponse.Subject
    /// How long no push goes out. Then one does, as a probe.
    public let nextProbe: Duration

    package init(response: PushResponse, judges: PushResponse.Subject, nextProbe: Duration) {
        self.response = response
        self.judges = judges
        self.nextProbe = nextProbe
    }
}

extension PushResponse {
    /// What the answer judges, if that is neither the push nor its device; else nil.
    ///
    /// - Parameter namesTopic: Whether the push names its topic itself. A reason about the topic then judges the push.
    package func refusal(namesTopic: Bool) -> Subject? {
        guard let subject = judges, subject.leavesPushOpen else { return nil }
        return namesTopic && reason?.concernsTopic == true ? nil : subject
    }
}
