import ProcessRuntime

/// What is known about a push's earlier attempts. It travels with the push from its room to a process and back.
struct PushHistory: Sendable, Equatable {
    /// How often it was written.
    var attempts: UInt8 = 0
    /// The worst certainty of its attempts since its last answer.
    var worst = Certainty.notSent
    /// The latest attempt that ended unknown and was followed by another.
    var unknownAttempt: UnknownAttempt?
    /// How often in a row APNs refused its stream, or ended it in another way after which the push is resent.
    var refusals: UInt8 = 0
    /// It was resent because its provider token was refused. That is done once.
    var wasResentForToken = false
    /// It was resent because a link did not know its topic. That is done once.
    var wasResentForTopic = false

    /// It was refused so often in a row that it pauses before it is written again.
    var isRefusedAgain: Bool { refusals >= RefusedStreamBackoff.fewest }

    /// It was answered.
    mutating func forgetUncertainty() { (worst, unknownAttempt) = (.notSent, nil) }
}

/// A push that ends, with all that its error reports.
struct PushTrace {
    let record: PushRecord
    var history = PushHistory()
    /// The stream of its latest attempt.
    var streamID: PushStreamID?
    /// The time that is in force.
    var kind = PushError.Deadline.timeout
}

/// A value with a time in force, for a ``DeadlineQueue``.
protocol Timed {
    var limit: PushTimes.Limit { get }
}

/// A push that waits in its name's room.
struct WaitingPush: Timed {
    /// What it waits for.
    enum Place: UInt8 {
        /// A stream on any link.
        case ready
        /// A stream of one connection.
        case bound
        /// An instant: the end of the pause before a retry, or of its device's throttling.
        case paused
        /// The end of a pause after refused streams. The connection that refused them can end it earlier.
        case refused
        /// Its turn at its device.
        case line
    }

    /// How it counts against the limits.
    enum Admission: UInt8 {
        /// As a waiting push.
        case counted
        /// Not yet: its caller waits for room.
        case parked
        /// No longer: it has been written before, and waits to be sent again.
        case free
    }

    let record: PushRecord
    var history = PushHistory()
    /// The end of its waiting or of its pause, whichever is earlier.
    var limit: PushTimes.Limit
    var place = Place.ready
    var admission = Admission.free
    /// True while it has its turn at its device.
    var hasTurn = false
    /// It probes the refused credential.
    var isProbe = false
    /// The connection that it is bound to, or that refused its streams; -1 if there is none.
    var holder = WaitingRoom.nobody

    init(_ record: PushRecord, history: PushHistory = PushHistory()) {
        self.record = record
        self.history = history
        limit = record.times.whileWaiting
    }

    var trace: PushTrace {
        PushTrace(record: record, history: history, streamID: record.streamID, kind: limit.kind)
    }
}

/// A push that a process has taken and returns.
struct ReturnedPush {
    /// Why it is returned.
    enum Cause {
        /// No link took it, so it is unchanged.
        case untouched(WaitingPush)
        /// APNs did not process it, or it asks to be resent although it may have been processed. `isRefusal`: its
        /// stream was refused on a link that works.
        case unanswered(isRefusal: Bool)
        /// Its provider token or its topic was refused; it is resent once, over a fresh link of the same connection.
        case needsFreshLink
        /// It was answered with a status that it asks to be retried. `from`: its `Retry-After`.
        case answered(PushResponse, from: MonotonicInstant?)
    }

    let record: PushRecord
    let history: PushHistory
    let cause: Cause
    var hasTurn = false
    var isProbe = false

    var isAnswered: Bool { if case .answered = cause { true } else { false } }
}

/// How an attempt ended unknown before the push was resent. One byte, for the push's entry.
enum UnknownAttempt: UInt8, Sendable {
    case connectionLost
    case streamReset
    case badResponse

    init(_ code: PushError.Code) {
        switch code {
        case .streamReset: self = .streamReset
        case .badResponse: self = .badResponse
        default: self = .connectionLost
        }
    }

    var code: PushError.Code {
        switch self {
        case .connectionLost: .connectionLost
        case .streamReset: .streamReset
        case .badResponse: .badResponse
        }
    }
}
