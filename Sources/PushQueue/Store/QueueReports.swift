import FoundationEssentials

/// Outcomes, and where to go on reading.
public struct OutcomePage: Sendable {
    /// How many outcomes a list keeps if nothing says another number.
    package static let usualLimit = 1_000_000

    /// The outcomes that can be read.
    public let outcomes: [QueueOutcome]
    /// The position behind each of them, in their order; empty if the store does not tell. Who has dealt with an outcome
    /// can go on behind it.
    public let positions: [String]
    /// The positions behind rows that cannot be read: another program stored them, or a later version.
    public let unreadable: [String]
    /// The position behind the rows, for the next call; nil if nothing was ever stored.
    public let position: String?

    /// Makes a page.
    public init(
        _ outcomes: [QueueOutcome], positions: [String] = [], unreadable: [String] = [], position: String?
    ) {
        self.outcomes = outcomes
        self.positions = positions
        self.unreadable = unreadable
        self.position = position
    }

    /// Whether there were no more rows yet.
    public var isEmpty: Bool { outcomes.isEmpty && unreadable.isEmpty }
}

/// Which outcomes ``PushQueueReader/trim(_:_:)`` removes, of those that count as read.
public enum OutcomeBound: Sendable, Hashable {
    /// Those up to a position that a page returned.
    case upTo(position: String)
    /// Those that were stored before this time, by the store's clock. Rows of a file that a version before this one
    /// stored have no time, and count as older.
    case before(Date)
}

/// What became of a call to cancel entries. An id that is in neither list is not in the queue: it was never there, or
/// its tokens have their outcomes, or it is a dead letter.
public struct Cancellation: Sendable, Hashable {
    /// Those that were removed.
    public var removed: [EntryID] = []
    /// Those that go out: a worker has taken them, or one that died may have sent them.
    public var taken: [EntryID] = []

    /// Makes a report; by default, of a call that found nothing.
    public init(removed: [EntryID] = [], taken: [EntryID] = []) {
        self.removed = removed
        self.taken = taken
    }
}

/// An entry that is not pushed: it cannot be read, or three workers died with it.
public struct DeadLetter: Sendable {
    /// The store's name for a dead letter.
    public typealias Key = TakenEntry.Key

    /// The store's name for it.
    public let key: Key
    /// What is stored; an error if it cannot be read.
    public let entry: Result<QueueEntry, QueueError>
    /// Why it is here.
    public let reason: String
    /// What is stored, by the names of the fields, so that one that cannot be read can be found among what was put in. Empty
    /// if the store does not tell.
    public var fields: [String: String] = [:]

    /// Makes a dead letter.
    public init(_ key: Key, _ entry: Result<QueueEntry, QueueError>, reason: String) {
        self.key = key
        self.entry = entry
        self.reason = reason
    }
}

/// How full a queue is. All numbers count entries, except ``outcomes`` and ``outcomesCut``, which count outcomes.
public struct QueueStatus: Sendable, Hashable {
    /// How many wait.
    public var waiting = 0
    /// How many of those that wait are urgent.
    public var urgent = 0
    /// How many wait for their time.
    public var delayed = 0
    /// The workers that have taken something or sent a heartbeat, and have not left.
    public var workers: [WorkerID: WorkerStanding] = [:]
    /// How many are dead letters.
    public var dead = 0
    /// When the oldest waiting one was put in; nil if none waits.
    public var oldest: Date?
    /// How many outcomes are stored.
    public var outcomes = 0
    /// How many outcomes were removed unread because their list was full.
    public var outcomesCut = 0
    /// How many outcomes the queue keeps, see ``PushQueueReader/limitOutcomes(to:)``; nil if no process has set that, so
    /// that each goes by its own option, by default 1,000,000.
    public var maxOutcomes: Int?
    /// Whether it is paused, and its rate.
    public var steering = QueueSteering()

    /// Makes a status of an empty queue.
    public init() {}

    /// How many the workers have taken.
    public var taken: Int { workers.values.reduce(0) { $0 + $1.taken } }
}

/// What the store knows of a worker.
public struct WorkerStanding: Sendable, Hashable {
    /// How many entries it has taken.
    public var taken: Int
    /// The time since its last heartbeat, by the store's clock; nil if it has sent none. Others take over what it has
    /// after 12 s.
    public var silence: Duration?
    /// Why it takes nothing, if it says so: for example that APNs refuses its credential.
    public var note: String?

    /// A worker whose counter stood still for this time is dead to the others.
    package static let death = Duration.seconds(12)

    /// Whether others take over what it has.
    package var isDead: Bool { silence.map { $0 > Self.death } ?? false }

    /// Makes a standing.
    public init(taken: Int = 0, silence: Duration? = nil, note: String? = nil) {
        self.taken = taken
        self.silence = silence
        self.note = note
    }
}
