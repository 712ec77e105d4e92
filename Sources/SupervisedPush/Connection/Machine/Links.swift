import ProcessRuntime
import PushHTTP2

/// The number of a link within its process, assigned when it is dialled.
struct LinkID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt32
    var description: String { "link \(number)" }
}

/// A link that is being dialled.
struct Attempt {
    /// How far it has come; a direct one stays `connecting` until it is up.
    enum Stage: Equatable {
        /// The link's credential is being loaded.
        case loading
        case connecting
        /// A proxy opens the tunnel; `left` of the time to connect remained then.
        case tunnelling(left: Duration)
        case tunnelled
    }

    let id: LinkID
    let port: Int
    /// When the attempt is over.
    var deadline: MonotonicInstant
    var stage = Stage.connecting
}

/// A link that is up: a transport with its HTTP/2 session, and its streams.
struct UpLink {
    let id: LinkID
    /// The port it was dialled on.
    let port: Int
    /// 1, 2, 3 … in the order links came up.
    let generation: Int
    /// The most streams that may be open: the lower of our limit and the peer's.
    private(set) var limit: Int
    /// The highest limit so far on this link.
    private var highestLimit: Int
    /// Open streams, including those of late pushes.
    var open = 0
    /// The next stream's number (RFC 9113, section 5.1.1).
    var nextStream: Int32 = 1
    let upSince: MonotonicInstant
    var hasAnswered = false
    /// What the peer's flow control takes, less what has begun.
    var window = SendWindow()
    /// Since when pushes wait for that, without a byte of it; nil if none waits.
    var shortSince: MonotonicInstant?
    /// The slot of the push that went alone and has not left whole; -1 if there is none.
    var alone: Int32 = -1
    /// How many streams it may open; nil: as many as its limit allows.
    var offer: LinkOffer?
    /// The peer ended it by GOAWAY, and took some of its pushes. Those that it refused were only queued behind them.
    var hasServed = false
    /// A push on it carried a provider token of its own, so the peer's remarks on tokens may concern that one.
    var carriesForeignTokens = false
    var topics = LinkTopics()
    var resets: ResetBudget
    var liveness: Liveness

    /// The link of an attempt that has succeeded.
    init(
        _ attempt: Attempt, generation: Int, limit: Int, _ now: MonotonicInstant,
        policy: PushConnection.Configuration.Liveness
    ) {
        id = attempt.id
        port = attempt.port
        self.generation = generation
        self.limit = limit
        highestLimit = limit
        upSince = now
        resets = ResetBudget(now: now)
        liveness = Liveness(now, policy: policy)
    }

    /// The round trip of the latest answered PING; nil before the first.
    var rtt: Duration? { liveness.rtt }

    /// Sets the limit.
    mutating func allow(_ streams: Int) {
        limit = streams
        highestLimit = max(highestLimit, streams)
    }

    /// True while one more stream may be opened.
    var hasRoom: Bool { open < limit && (offer?.left ?? 1) > 0 }

    /// The peer answered a push.
    mutating func answered(_ now: MonotonicInstant, endsStream: Bool) {
        hasAnswered = true
        liveness.answered(now)
        if endsStream { streamEnded() }
    }

    mutating func streamEnded() {
        open -= 1
        offer?.streamEnded(open: open)
    }

    /// The peer sent GOAWAY. Returns how many of its streams the peer took.
    mutating func ended(lastStream: Int32) -> Int {
        let served = max(0, Int(min(lastStream, nextStream - 2)) + 1) / 2
        hasServed = served > 0
        return served
    }

    /// How large the bodies of the next pushes may be.
    var bodies: BodyRoom { BodyRoom(window, isIdle: open == 0) }

    /// What it has for a push with a body of this size.
    func room(for bytes: Int) -> (takesBody: Bool, hasStream: Bool, nextStream: Int32) {
        (bodies.takes(bytes), hasRoom, nextStream)
    }

    /// Uses the next stream for a push that is written now.
    ///
    /// - Returns: Its numbers, and whether the windows do not take its body whole, so that it goes alone.
    mutating func openStream(
        for push: PushRecord, of process: ProcessID, _ now: MonotonicInstant,
        policy: PushConnection.Configuration.Liveness
    ) -> (LinkID, PushStreamID, goesAlone: Bool) {
        let goesAlone = !bodies.takesWhole(push.size)
        let stream = nextStream
        nextStream += 2
        open += 1
        offer?.opened()
        liveness.wrote(now, policy: policy)
        if push.head.template.hasAuthorization { carriesForeignTokens = true }
        if push.head.template !== topics.latest { topics.wrote(push.head.template, isEarly: !hasAnswered) }
        window.connection -= push.size
        window.isClear = false
        window.isBlocked = window.isBlocked || goesAlone
        return (id, PushStreamID(process: process, generation: generation, stream: stream), goesAlone)
    }

    /// Changes the link in place: it is too large to be copied for every push.
    @inline(__always)
    mutating func apply(_ change: (inout UpLink) -> Void) { change(&self) }

    /// True while the limit is lower than before: APNs lowers it after rejections, usually to 1, and restores it with
    /// the next push it accepts.
    var isThrottled: Bool { limit < highestLimit }
}

/// A link that finishes its streams and opens no more.
struct DrainingLink {
    var link: UpLink
    /// When it is closed at the latest.
    let deadline: MonotonicInstant

    var id: LinkID { link.id }
}

/// How many streams of a link may be reset: a hundred in a burst, twenty a second after that. Servers answer rapid
/// resets with GOAWAY.
struct ResetBudget {
    static let burst = 100
    static let interval = Duration.milliseconds(50)

    /// When the bucket is full again.
    private var fullAt: MonotonicInstant

    init(now: MonotonicInstant) { fullAt = now }

    /// Takes one reset from the budget; false if it is empty.
    mutating func take(_ now: MonotonicInstant) -> Bool {
        guard nextAvailable <= now else { return false }
        fullAt = max(fullAt, now).advanced(by: Self.interval)
        return true
    }

    /// When the next one can be taken.
    var nextAvailable: MonotonicInstant { fullAt.advanced(by: Self.interval * -(Self.burst - 1)) }

    /// How many can be taken now.
    func available(_ now: MonotonicInstant) -> Int {
        guard fullAt > now else { return Self.burst }
        let missing = Int(clamping: Int64(now.duration(to: fullAt) / Self.interval)) + 1
        return nextAvailable <= now ? max(1, Self.burst - missing) : 0
    }
}
