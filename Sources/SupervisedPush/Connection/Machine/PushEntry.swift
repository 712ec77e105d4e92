/// What the machine remembers of one push. It lives in a ``PushTable``.
struct PushEntry {
    /// Where the push stands.
    enum State {
        /// In the waiting list.
        case waiting
        /// Written, or being written; its answer is awaited.
        case inFlight
        /// Its outcome was reported as unknown; a late answer is still welcome.
        case late
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
    }
}
