/// What happened to a push after it was reported `timedOut` with certainty `unknown`.
public struct LateResponse: Sendable {
    /// How the late window ended.
    @nonexhaustive public enum Outcome: Sendable {
        /// APNs answered after all.
        case answered(PushResponse)
        /// APNs did not process it after all: it is safe to push again.
        case unprocessed
        /// The window closed, or the link broke, without an answer: the outcome stays unknown.
        case noAnswer
    }

    /// The process that held the push.
    public let pid: ProcessID
    /// The connection's name.
    public let name: String?
    /// The stream that the `timedOut` error named.
    public let streamID: PushStreamID
    /// The push.
    public let pushID: PushID
    /// The device it went to; nil for a broadcast.
    public let deviceToken: DeviceToken?
    /// The channel it went to; nil for a push to a device.
    public let channelID: ChannelID?
    /// The context of the push, as the caller gave it.
    public let context: (any Sendable)?
    /// How it ended.
    public let outcome: Outcome
}

extension LateResponse {
    /// Creates a late response, for tests of code that handles one. What is left out is made up.
    public init(
        _ outcome: Outcome, to deviceToken: DeviceToken?, name: String? = nil, context: (any Sendable)? = nil,
        channelID: ChannelID? = nil, pid: ProcessID = ProcessID(), streamID: PushStreamID? = nil,
        pushID: PushID = PushID(1)
    ) {
        self.init(
            pid: pid, name: name, streamID: streamID ?? PushStreamID(process: pid, generation: 1, stream: 1),
            pushID: pushID, deviceToken: deviceToken, channelID: channelID, context: context, outcome: outcome)
    }

    init(_ record: PushRecord, streamID: PushStreamID, outcome: Outcome, name: String?, pid: ProcessID) {
        self.init(
            pid: pid, name: name, streamID: streamID, pushID: record.id, deviceToken: record.head.deviceToken,
            channelID: record.head.template.route?.channelID, context: record.context,
            outcome: outcome.carrying(record.context))
    }
}

extension LateResponse.Outcome {
    /// An answer carries the context of its push.
    func carrying(_ context: (any Sendable)?) -> Self {
        guard case .answered(let response) = self, let context else { return self }
        return .answered(response.carrying(context))
    }

    /// What the push's result is after all; nil if no answer came, so that the result so far stands.
    package var result: Result<PushResponse, PushError>? {
        switch self {
        case .answered(let response): .success(response)
        case .unprocessed:
            .failure(PushError(.unprocessed, certainty: .unprocessed, description: "APNs did not process the push."))
        case .noAnswer: nil
        }
    }
}
