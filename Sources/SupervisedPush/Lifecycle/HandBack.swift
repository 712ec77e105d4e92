import ProcessRuntime

/// Pushes that a connection hands back: the fire-and-forget pushes themselves, and a count of the others.
public struct HandBack: Sendable {
    /// Fire-and-forget pushes of which no byte was sent.
    public internal(set) var notSent: [Push] = []
    /// Fire-and-forget pushes that APNs did not process.
    public internal(set) var unprocessed: [Push] = []
    /// Fire-and-forget pushes that may have been processed.
    public internal(set) var unknown: [Push] = []
    /// Fire-and-forget broadcasts, each with its certainty.
    public internal(set) var broadcasts: [ReturnedBroadcast] = []
    /// How many pushes ended with an error to their own caller: in the result of `close`, while the connection closed;
    /// in a message, at the same moment as the pushes handed back.
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

    mutating func add(_ push: Push, certainty: Certainty) {
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

/// Fire-and-forget pushes that ended without an answer, collected until they are handed back, and a count of other
/// pushes.
struct HandBackBatch: Sendable {
    private(set) var pushes: [(record: PushRecord, certainty: Certainty)] = []
    /// Pushes that ended with an error to their own caller.
    var answeredElsewhere = 0

    var isEmpty: Bool { pushes.isEmpty && answeredElsewhere == 0 }

    /// Adds a push by how it ended.
    mutating func add(_ record: PushRecord, certainty: Certainty) {
        if record.outcome.isNobody {
            pushes.append((record, certainty))
        } else {
            answeredElsewhere += 1
        }
    }

    mutating func append(_ other: HandBackBatch) {
        pushes += other.pushes
        answeredElsewhere += other.answeredElsewhere
    }

    /// The lists in call order. Pushes end in a different order.
    var handBack: HandBack {
        var handBack = HandBack()
        handBack.answeredElsewhere = answeredElsewhere
        for push in pushes.sorted(by: { $0.record.callNumber < $1.record.callNumber }) {
            if let given = push.record.push {
                handBack.add(given, certainty: push.certainty)
            } else if let given = push.record.broadcast {
                handBack.broadcasts.append(HandBack.ReturnedBroadcast(broadcast: given, certainty: push.certainty))
            }
        }
        return handBack
    }
}

/// Counts the pushes that no mailbox takes back, and says when to log them: at most one line a second, whatever their
/// number.
struct HandBackLosses {
    /// The content of a line.
    struct Line: Equatable {
        var notSent = 0
        var unprocessed = 0
        var unknown = 0
        /// The first of them, by number.
        var examples: [PushID] = []
        var count: Int { notSent + unprocessed + unknown }
    }

    static let interval = Duration.seconds(1)
    static let maxExamples = 10

    private var pending = Line()
    private var lastLine: MonotonicInstant?

    /// Counts a loss; returns the line to log, if it is due.
    mutating func add(_ batch: HandBackBatch, _ now: MonotonicInstant) -> Line? {
        for (record, certainty) in batch.pushes {
            switch certainty {
            case .notSent: pending.notSent += 1
            case .unprocessed: pending.unprocessed += 1
            case .unknown, .answered: pending.unknown += 1
            }
            if pending.examples.count < Self.maxExamples { pending.examples.append(record.id) }
        }
        if let lastLine, lastLine.duration(to: now) < Self.interval { return nil }
        lastLine = now
        return takeRest()
    }

    /// What was counted since the last line.
    mutating func takeRest() -> Line? {
        guard pending.count > 0 else { return nil }
        defer { pending = Line() }
        return pending
    }
}
