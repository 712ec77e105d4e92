/// The number of a link within its process, given when it is dialled.
struct LinkID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt32
    var description: String { "link \(number)" }
}

/// How far an attempt to connect has come; a straight one stays `connecting` until it is up.
enum DialStage: Equatable, Sendable {
    /// What the link is to show is being loaded.
    case loading
    case connecting
    /// A proxy makes the tunnel; so much of the time to connect was left then.
    case tunnelling(left: Duration)
    case tunnelled
}

/// What the machine remembers of one link: a transport with its HTTP/2 session.
struct LinkState {
    let id: LinkID
    /// The port it was dialled on.
    let port: Int
    /// While it is dialled: when the attempt is over. While it drains: when it is closed at the latest.
    var deadline: MonotonicInstant
    /// While it is dialled: how far it came.
    var dialStage = DialStage.connecting
    /// 1, 2, 3 … in the order links came up; 0 while it is dialled.
    var generation = 0
    /// The most streams that may be open: the lower one of our cap and the peer's value.
    private(set) var limit = 0
    /// The highest limit so far on this link.
    private var highestLimit = 0
    /// Streams open, those of late pushes included.
    var open = 0
    /// The next stream's number (RFC 9113 section 5.1.1).
    var nextStream: Int32 = 1
    var upSince: MonotonicInstant
    var hasAnswered = false
    /// A push on it carried a provider token of its own: what the peer says of tokens may be about that one.
    var carriesForeignTokens = false
    var resets: ResetBudget
    var liveness: Liveness

    init(id: LinkID, port: Int, now: MonotonicInstant, deadline: MonotonicInstant, _ policy: LivenessPolicy) {
        self.id = id
        self.port = port
        self.deadline = deadline
        upSince = now
        resets = ResetBudget(now: now)
        liveness = Liveness(now, policy)
    }

    /// The round trip of the latest answered PING; nil before the first.
    var rtt: Duration? { liveness.rtt }

    /// Sets the limit.
    mutating func allow(_ streams: Int) {
        limit = streams
        highestLimit = max(highestLimit, streams)
    }

    /// True while one more stream may be opened.
    var hasRoom: Bool { open < limit }

    /// Takes the next stream for a push that is written now.
    mutating func openStream(
        of process: ProcessID, _ now: MonotonicInstant, _ policy: LivenessPolicy
    ) -> PushStreamID {
        let stream = nextStream
        nextStream += 2
        open += 1
        liveness.wrote(now, policy)
        return PushStreamID(process: process, generation: generation, stream: stream)
    }

    /// Changes it where it lies: it is too large to be copied out and in for every push.
    @inline(__always)
    mutating func apply(_ change: (inout LinkState) -> Void) { change(&self) }

    /// True while the limit is below what it was: APNs lowers it, mostly to 1, after rejections, and restores it with the
    /// next push it accepts.
    var isThrottled: Bool { limit < highestLimit }
}
