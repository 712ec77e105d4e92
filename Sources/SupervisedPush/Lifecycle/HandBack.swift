/// Pushes that a connection gives back: those that nobody waits for as themselves, the others as a count.
///
/// The lists are in call order. Pushes that ended with an error to their own caller appear in ``answeredElsewhere`` only.
public struct HandBack: Sendable {
    /// Fire-and-forget pushes of which no byte was sent.
    public internal(set) var notSent: [Push] = []
    /// Fire-and-forget pushes that APNs did not process.
    public internal(set) var unprocessed: [Push] = []
    /// Fire-and-forget pushes that may have been processed.
    public internal(set) var unknown: [Push] = []
    /// Fire-and-forget broadcasts, each with what is known of it.
    public internal(set) var broadcasts: [ReturnedBroadcast] = []
    /// How many pushes ended with an error to their own caller: in the result of `close` while the connection closed, in a
    /// message at the same moment as those handed back.
    public internal(set) var answeredElsewhere = 0

    /// Creates an empty hand-back.
    public init() {}

    /// Creates a hand-back, for tests of code that takes one.
    public init(
        notSent: [Push] = [], unprocessed: [Push] = [], unknown: [Push] = [], broadcasts: [ReturnedBroadcast] = [],
        answeredElsewhere: Int = 0
    ) {
        self.notSent = notSent
        self.unprocessed = unprocessed
        self.unknown = unknown
        self.broadcasts = broadcasts
        self.answeredElsewhere = answeredElsewhere
    }

    /// A broadcast that is handed back.
    public struct ReturnedBroadcast: Sendable {
        /// The broadcast.
        public let broadcast: Broadcast
        /// Whether APNs may have processed it.
        public let certainty: Certainty

        /// Creates a returned broadcast, for tests.
        public init(broadcast: Broadcast, certainty: Certainty) {
            self.broadcast = broadcast
            self.certainty = certainty
        }
    }

    /// How many pushes and broadcasts are in the lists.
    public var count: Int { notSent.count + unprocessed.count + unknown.count + broadcasts.count }

    /// True if nothing is in it.
    public var isEmpty: Bool {
        count == 0 && answeredElsewhere == 0
    }

    mutating func add(_ push: Push, _ certainty: Certainty) {
        switch certainty {
        case .notSent: notSent.append(push)
        case .unprocessed: unprocessed.append(push)
        case .unknown, .answered: unknown.append(push)
        }
    }
}

extension HandBack {
    mutating func append(_ other: HandBack) {
        notSent += other.notSent
        unprocessed += other.unprocessed
        unknown += other.unknown
        broadcasts += other.broadcasts
        answeredElsewhere += other.answeredElsewhere
    }
}
