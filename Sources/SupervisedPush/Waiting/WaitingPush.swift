import ProcessRuntime

/// What is known of a push's earlier attempts. It goes with the push from its room to a process and back.
struct PushHistory: Sendable, Equatable {
    /// How often it was written.
    var attempts: UInt8 = 0
    /// The worst that is known of its attempts.
    var worst = Certainty.notSent
    /// The latest of its attempts that ended unknown and was followed by another.
    var unknownAttempt: UnknownAttempt?
    /// How often in a row APNs refused its stream, or ended it otherwise so that the push goes again.
    var refusals: UInt8 = 0
    /// It was sent again because its provider token was refused, which is done once.
    var wasResentForToken = false
}

/// A push that ends, with all that its error tells of it.
struct PushTrace {
    let record: PushRecord
    var history = PushHistory()
    /// The stream of its latest attempt.
    var streamID: PushStreamID?
    /// Which of its times is in force.
    var kind = PushError.Deadline.timeout
}

/// What has a time in force, for a ``DeadlineQueue``.
protocol Timed {
    var limit: PushTimes.Limit { get }
}

/// A push that waits in its name's room.
struct WaitingPush: Timed {
    /// What it waits for.
    enum Place: UInt8 {
        /// A stream of any link.
        case ready
        /// A stream of one connection.
        case bound
        /// An instant: the pause before a retry, or when its device opens.
        case paused
        /// A pause after refused streams. The connection that refused them can end it earlier.
        case refused
        /// Its turn in the line of its device.
        case line
    }

    /// How it counts against the bounds.
    enum Admission: UInt8 {
        /// As one that waits.
        case counted
        /// Not yet: its caller waits for room.
        case parked
        /// No more: it was written before.
        case free
    }

    let record: PushRecord
    var history = PushHistory()
    /// The end of its waiting or of its pause, whichever is earlier.
    var limit: PushTimes.Limit
    var place = Place.ready
    var admission = Admission.free
    /// True while it is its turn in the line of its device.
    var hasTurn = false
    /// It tries the refused credential.
    var isProbe = false
    /// The connection that it is bound to, or that refused its streams; -1: none.
    var holder = WaitingRoom.nobody

    init(_ record: PushRecord, _ history: PushHistory = PushHistory()) {
        self.record = record
        self.history = history
        limit = record.times.whileWaiting
    }

    var trace: PushTrace {
        PushTrace(record: record, history: history, streamID: record.streamID, kind: limit.kind)
    }
}

/// A push that a process has taken and does not keep.
struct ReturnedPush {
    /// Why it comes back.
    enum Cause {
        /// No link took it: it is as if it had never been taken.
        case untouched(WaitingPush)
        /// APNs did not process it, or it asks to be sent again although it may have been. `isRefusal`: its stream was
        /// refused on a link that works.
        case unanswered(isRefusal: Bool)
        /// Its provider token was refused; it goes once more, over a fresh link of the same connection.
        case tokenRefused
        /// It was answered with a status that it asks to be retried after. `from`: its `Retry-After`.
        case answered(PushResponse, from: MonotonicInstant?)
    }

    let record: PushRecord
    let history: PushHistory
    let cause: Cause
    var hasTurn = false
    var isProbe = false

    var isAnswered: Bool { if case .answered = cause { true } else { false } }
}
