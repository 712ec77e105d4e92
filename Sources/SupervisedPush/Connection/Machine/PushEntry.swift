import ProcessRuntime

/// What the machine remembers about a push that it wrote. It is stored in a ``PushTable``.
struct PushEntry: Timed {
    /// The state of the push.
    enum State: Equatable {
        /// Written, or being written; its answer is awaited.
        case inFlight
        /// Its outcome was reported as unknown; a late answer will be reported.
        case late
    }

    /// Why the wire is asked how far a push in flight has been written.
    enum Withdrawal {
        /// Its time was over.
        case timedOut
        /// Its caller cancelled it.
        case cancelled
        /// The connection's closing deadline passed.
        case closing
        /// Its link has drained long enough.
        case drained
        /// Its link stalls: unwritten pushes go out over the successor.
        case stalled
    }

    let record: PushRecord
    var state = State.inFlight
    /// What is known about its attempts, including this one.
    var history: PushHistory
    /// The time that is in force, and which one it is.
    var limit: PushTimes.Limit
    var withdrawal: Withdrawal?
    /// Its answer said that its provider token has expired; the machine waits to know whether there is a newer one.
    var awaitsToken = false
    let link: LinkID
    let streamID: PushStreamID
    /// True while it has its turn at its device.
    let hasTurn: Bool
    /// When it was written; of a push that its link does not take whole, when it had left.
    var writtenAt: MonotonicInstant

    /// A push that is written now.
    init(
        _ record: PushRecord, history: PushHistory, hasTurn: Bool, on link: LinkID, streamID: PushStreamID,
        _ now: MonotonicInstant
    ) {
        self.record = record
        self.history = history
        self.history.attempts += 1
        limit = record.times.inFlight(writtenAt: now)
        self.link = link
        self.streamID = streamID
        self.hasTurn = hasTurn
        writtenAt = now
    }

    var stream: Int32 { streamID.stream }

    var trace: PushTrace { PushTrace(record: record, history: history, streamID: streamID, kind: limit.kind) }

    /// How its late window ends without an answer. If its last attempt was not processed, earlier ones may have been.
    func lateEnd(_ certainty: Certainty) -> LateResponse.Outcome {
        certainty == .unknown || history.unknownAttempt != nil ? .noAnswer : .unprocessed
    }
}
