import PushCampaign
import PushQueue
import PushTerminal

/// How long `queue put` repeats the call for a batch that was not acknowledged. Times are seconds since the run began.
struct PutPatience: Equatable, Sendable {
    /// What is done after a call that failed.
    enum Step: Equatable, Sendable {
        /// Call again after a pause.
        ///
        /// - Parameter left: If the reason is a new one, how long it is waited at most.
        case again(left: Double?)
        case giveUp
    }

    /// The queue knows a call again for a minute. What is left of it is for the last call itself.
    static let longestRepetition = 50.0

    /// What is said when a call is repeated.
    static func line(_ error: QueueError, _ place: String, left: Double) -> String {
        let what = error.code == .full ? "the queue \(place): \(error) Waiting for" : "\(error) Asking again for"
        return "pushctl: \(what) up to \(Figures.wait(left))".onOneLine
    }

    /// What keeps a batch from being put, while the call is repeated.
    static func hindrance(_ code: QueueError.Code) -> String {
        code == .full ? "the queue is full" : "the queue does not answer"
    }

    private let maxWait: Double
    private let start: Double
    /// When the first call began that the queue did not answer.
    private var unanswered: Double?
    private var reason: QueueError.Code?

    /// - Parameters:
    ///   - maxWait: How long a full queue is waited for.
    ///   - start: When the first call began.
    init(maxWait: Double, start: Double) { (self.maxWait, self.start) = (maxWait, start) }

    /// Whether the batch may be in the queue although its call failed.
    var mayHold: Bool { unanswered != nil }

    /// - Parameters:
    ///   - calledAt: When the call began.
    ///   - now: When it failed.
    mutating func failed(_ code: QueueError.Code, calledAt: Double, now: Double) -> Step {
        let end: Double
        switch code {
        // The queue knows of no such call, so no earlier one has happened.
        case .full: (unanswered, end) = (nil, start + maxWait)
        case .unreachable:
            let first = unanswered ?? calledAt
            (unanswered, end) = (first, first + Self.longestRepetition)
        default: return .giveUp
        }
        guard now < end else { return .giveUp }
        defer { reason = code }
        return .again(left: reason == code ? nil : end - now)
    }
}
