/// Why a channel could not be created, read, deleted or listed.
public struct ChannelError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// A fixed word, suitable as a metric's label.
        public let name: String

        /// APNs refused: ``ChannelError/response`` says why.
        public static let refused = Self(name: "refused")
        /// There was no answer, or nothing was sent: ``ChannelError/cause`` says why.
        public static let failed = Self(name: "failed")
        /// The app has as many channels as it may have; nothing was sent.
        public static let limitReached = Self(name: "limit_reached")
        /// APNs did what was asked, but its answer was cut off or cannot be read.
        public static let badAnswer = Self(name: "bad_answer")

        /// The code's name.
        public var description: String { name }
    }

    /// What kind of error it is.
    public let code: Code
    /// The answer, with its reason and its advice; nil if there was none.
    public let response: PushResponse?
    /// Why there was no answer; nil if there was one.
    public let cause: PushError?
    /// What is known about the request. If it is `unknown`, APNs may have done what was asked.
    public let certainty: Certainty
    /// What happened and what to do, in one or two sentences.
    public let description: String

    /// Why APNs refused, if it gave a reason.
    public var reason: RejectionReason? { code == .refused ? response?.reason : nil }
    /// What to do about a refusal; nil for other errors.
    public var advice: RejectionAdvice? { code == .refused ? response?.advice : nil }
    /// Whether APNs may have done what was asked.
    var mayHaveHappened: Bool {
        certainty == .unknown || code == .badAnswer || (response?.status ?? 0) >= 500
    }

    private init(
        _ code: Code, certainty: Certainty, response: PushResponse? = nil, cause: PushError? = nil,
        _ description: String
    ) {
        self.code = code
        self.certainty = certainty
        self.response = response
        self.cause = cause
        self.description = description
    }
}

extension ChannelError {
    init(refused response: PushResponse, of action: RequestRoute.Action) {
        var text = "APNs refused to \(action.verb): \(response.status)"
        if let reason = response.reason {
            text += " \(reason). \(reason.meaning) \(reason.remedy)"
        } else {
            text += ". \(response.advice?.sentence ?? "")"
        }
        if action == .deleteChannel, response.status == 404 {
            text += " A channel that does not exist is refused in the same way."
        }
        if action == .createChannel, response.status >= 500, let doubt = action.doubt { text += " \(doubt)" }
        self.init(.refused, certainty: .answered, response: response, text)
    }

    init(_ cause: PushError, of action: RequestRoute.Action) {
        var text = "APNs did not answer the request to \(action.verb). \(cause.description)"
        if cause.certainty == .unknown, let doubt = action.doubt { text += " \(doubt)" }
        self.init(.failed, certainty: cause.certainty, cause: cause, text)
    }

    init(unreadable response: PushResponse, of action: RequestRoute.Action) {
        let what = response.isComplete ? "cannot be read" : "was cut off"
        let text = "The answer of APNs to the request to \(action.verb) \(what) (status \(response.status)). "
        self.init(.badAnswer, certainty: .answered, response: response, text + (action.doubt ?? "Try again."))
    }

    /// Nothing was created, because the list before the creation failed.
    init(uncounted error: ChannelError) {
        self.init(
            error.code, certainty: .notSent, response: error.response, cause: error.cause,
            "The app's channels could not be counted, so no channel was created. \(error.description)")
    }

    init(limit: Int, known: Int) {
        self.init(
            .limitReached, certainty: .notSent,
            "The app has \(known) channels, including those under way, and may have \(limit): delete channels that are "
                + "no longer used. If others delete them, list the channels to count them again.")
    }
}

extension RequestRoute.Action {
    fileprivate var verb: String {
        switch self {
        case .broadcast: "broadcast"
        case .createChannel: "create a channel"
        case .readChannel: "read the channel"
        case .deleteChannel: "delete the channel"
        case .listChannels: "list the channels"
        }
    }

    /// What to do if the request may have been processed.
    fileprivate var doubt: String? {
        switch self {
        case .createChannel: "The channel may have been created: list the channels before you create another."
        case .deleteChannel: "The channel may be gone: delete it again, and treat 404 as success."
        case .broadcast, .readChannel, .listChannels: nil
        }
    }
}
