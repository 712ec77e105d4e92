/// What the machine remembers of one push. It lives in a ``PushTable``.
struct PushEntry {
    /// Where the push stands.
    enum State: Equatable {
        /// In the waiting list.
        case waiting
        /// Waits for something else than a stream, and returns into the waiting list then.
        case deferred(Deferral)
        /// Written, or being written; its answer is awaited.
        case inFlight
        /// Its outcome was reported as unknown; a late answer is still welcome.
        case late
    }

    /// What a deferred push waits for. Its limit is the earlier one of its own and the end of the deferral.
    enum Deferral {
        /// SETTINGS or a stream that settles, after streams that were refused; it stands in the list of those refused.
        case refused
        /// An instant: the pause before a retry, or when its device opens.
        case pause
        /// Its turn in the line of its device.
        case turn
    }

    /// Why the wire is being asked how far a push in flight has come.
    enum Withdrawal {
        /// Its time was over.
        case timedOut
        /// Its caller cancelled it.
        case cancelled
        /// The connection's closing deadline passed.
        case closing
        /// Its link has drained long enough.
        case drained
        /// Its link stalls: what has not gone out goes over the successor.
        case stalled
    }

    let record: PushRecord
    var state = State.waiting
    /// The time in force, and which one it is.
    var limit: PushTimes.Limit
    var withdrawal: Withdrawal?
    /// How often it was written.
    var attempts = 0
    /// The worst that is known of its attempts.
    var worst = Certainty.notSent
    /// True while it counts against the connection's bound on waiting pushes.
    var isCounted = true
    /// Its answer said that its provider token has expired, and it is being found out whether there is a newer one.
    var awaitsToken = false
    /// It was sent again because its provider token was refused, which is done once.
    var wasResentForToken = false
    var link = LinkID(number: 0)
    var stream: Int32 = 0
    /// How often in a row APNs refused its stream, or ended it otherwise so that the push goes again.
    var refusals: UInt8 = 0
    /// The latest of its attempts that ended unknown and was followed by another.
    var unknownAttempt: UnknownAttempt?
    /// True while it is its turn in the line of its device.
    var hasTurn = false
    var streamID: PushStreamID?
    /// When it was written last.
    var writtenAt = MonotonicInstant(nanoseconds: 0)

    init(_ record: PushRecord) {
        self.record = record
        limit = record.times.whileWaiting
    }

    /// A push that another process held before.
    init(_ push: PassedOnPush) {
        self.init(push.record)
        attempts = push.attempts
        worst = push.worst
        isCounted = push.isCounted
        unknownAttempt = push.unknownAttempt
    }

    /// It is written now.
    mutating func wrote(
        on link: LinkID, _ streamID: PushStreamID, _ now: MonotonicInstant
    ) -> (wasCounted: Bool, isNewLimit: Bool) {
        let before = (isCounted, limit.instant)
        state = .inFlight
        attempts += 1
        isCounted = false
        self.link = link
        stream = streamID.stream
        self.streamID = streamID
        writtenAt = now
        limit = record.times.inFlight(writtenAt: now)
        return (before.0, limit.instant != before.1)
    }

    /// How its late window ends without an answer. That its last attempt was not processed says nothing of those before.
    func lateEnd(_ certainty: Certainty) -> LateResponse.Outcome {
        certainty == .unknown || unknownAttempt != nil ? .noAnswer : .unprocessed
    }

    /// True while a stream of a link belongs to it.
    var hasStream: Bool {
        switch state {
        case .inFlight, .late: true
        case .waiting, .deferred: false
        }
    }
}

extension PassedOnPush {
    /// What another process goes on with.
    init(_ entry: PushEntry) {
        self.init(
            record: entry.record, attempts: entry.attempts, worst: entry.worst, isCounted: entry.isCounted,
            unknownAttempt: entry.unknownAttempt)
    }
}
