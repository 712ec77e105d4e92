import FoundationEssentials
import ProcessRuntime
import SupervisedPush

/// Decides what a worker takes, pushes, settles and gives back. It knows keys, numbers and times: no store, no push.
///
/// One call to the store is under way at a time, besides the heartbeat and the wait for entries. Each call that fails
/// is made again after a pause, or is not needed any more. What is taken is bounded by what the links take, and by what
/// is not settled.
struct WorkerMachine: StateMachine, Sendable {
    /// The times of a worker. Others judge it by the same ones.
    enum Times {
        /// Between two heartbeats.
        static let beat = Duration.seconds(3)
        /// How long offered pushes may still be written, from the sending of a heartbeat that is acknowledged.
        static let lease = Duration.seconds(10)
        /// After such a gap between heartbeats, others are watched from the start: they may have had the same.
        static let gap = Duration.seconds(6)
        /// How long a row waits for others.
        static let settle = Duration.milliseconds(20)
        static let firstPause = Duration.milliseconds(100)
        static let longestPause = Duration.seconds(5)
        /// Between two searches for entries that a lost reply assigned to the worker.
        static let recovery = Duration.seconds(30)
        static let wait = Duration.seconds(5)
        /// Before pushes that came back as not sent are offered again.
        static let hold = Duration.milliseconds(100)
        /// So long can a permit be used.
        static let permit = Duration.seconds(1)
        /// The shortest time until a permit is asked for again.
        static let shortestRefusal = Duration.milliseconds(10)
        /// After the time of a stop, for the last calls to the store.
        static let grace = Duration.seconds(2)
    }

    /// As soon as this many rows wait, they are settled.
    static let settleBatch = 256
    /// A settlement has no more entries once it has this many rows.
    static let largestSettlement = 1_024
    /// How often the tokens of an entry are postponed because APNs asked for it, by all workers together.
    static let mostRetries = 10
    /// A push whose stream was refused this many times, without an answer, has failed.
    static let mostRefusals = 20

    /// A call to the store.
    enum Call: Sendable, Equatable {
        case take
        case permit
        case recover
        case reclaim(WorkerID)
        case offer([Key: Int])
        case settle([Key])
        case release([Key])
        case leave
    }

    /// Another worker, and since when its counter stands still.
    struct Other: Sendable, Equatable {
        var counter: UInt64
        var since: MonotonicInstant
    }

    /// The instant of the present event, and the actions that it causes.
    var now = MonotonicInstant(nanoseconds: 0)
    var out: [Action] = []

    let worker: WorkerID
    /// What all workers together push at most; nil if there is no limit. It is the queue's, or else the worker's own.
    var rate: QueueRate?
    /// The rate of a queue that has none.
    var ownRate: QueueRate?
    /// How the queue is steered, as far as the worker knows.
    var steering = QueueSteering()
    var isOpen = false
    var room = 0

    var entries = EntryTable(blank: WorkerEntry.blank)
    /// How many tokens of the entries have no outcome, and how many are in flight.
    var openTokens = 0
    var flying = 0
    /// How many tokens were in doubt when the worker got them, how many it postponed because APNs asked for it, and how
    /// many entries it took over.
    var doubtsSeen = 0
    var postponed = 0
    var takenOver = 0
    /// Entries with tokens that are ready, in order; some may have none any more.
    var readyKeys: [Key] = []
    /// Entries that want to be offered, in order; some may not any more.
    var offerKeys: [Key] = []
    /// After `fenced`, entries are offered one by one, to find those that others have.
    var asksOneByOne = 0
    var releaseKeys: [Key] = []
    /// Entries to settle, in order.
    var dirtyKeys: [Key] = []
    var waitingRows = 0
    /// Since when something waits to be settled.
    var dirtySince: MonotonicInstant?
    /// The entry that is pushed alone.
    var suspect: Key?
    /// How many tokens may still be pushed at the rate; less than 0 after an entry that had more.
    var permits = 0
    /// When the permits that are left lapse.
    var permitsEnd: MonotonicInstant?
    /// No permit is asked for before this instant.
    var permitAt: MonotonicInstant?
    /// No push is offered before this instant.
    var holdUntil: MonotonicInstant?
    /// How many such holds there were since a push was answered.
    var holds = 0
    var pause = RefusalPause()

    var call: Call?
    var failures = 0
    /// No call but a heartbeat is made before this instant.
    var retryAt: MonotonicInstant?
    var settleFails = false
    var isWaiting = false
    /// Whether the last take brought nothing.
    var foundNothing = false
    /// The same, also after a wait: there may be something now.
    var isIdle = false
    var needsRecovery = false
    var recoverAt: MonotonicInstant?

    /// When the heartbeat that is under way was sent.
    var beatSent: MonotonicInstant?
    var nextBeat: MonotonicInstant?
    var leaseEnd: MonotonicInstant?
    /// When the last acknowledged heartbeat was sent.
    var lastBeat: MonotonicInstant?
    var others: [WorkerID: Other] = [:]
    var dead: [WorkerID] = []

    var stopAt: MonotonicInstant?
    var isWithdrawn = false
    var isFinished = false

    init(_ worker: WorkerID, rate: QueueRate? = nil) {
        self.worker = worker
        self.rate = rate
        ownRate = rate
    }

    var isStopping: Bool { stopAt != nil }
    var isLeased: Bool { leaseEnd != nil }

    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        guard !isFinished else { return }
        self.now = now
        swap(&out, &actions)
        defer { swap(&out, &actions) }
        // First, so that nothing is offered after the worker was paused.
        checkLease()
        switch event {
        case .opened: (isOpen, nextBeat, recoverAt) = (true, now, now.advanced(by: Times.recovery))
        case .steered(let steering): steer(steering)
        case .held(let holds): hold(holds)
        case .paced(let rate): pace(rate)
        case .room(let count): offerRoom(max(0, count))
        case .ended(let list):
            hear(list)
            end(list)
        case .waited: (isWaiting, foundNothing) = (false, false)
        case .waitFailed:
            (isWaiting, foundNothing) = (false, false)
            pauseCalls()
        case .tick: break
        case .stop(let time): stop(within: time)
        case .failed(let code): failed(code)
        case .took, .permitted, .recovered, .reclaimed, .offered, .settled, .released, .left: answered(event)
        case .beaten(let counters): beaten(counters)
        case .beatFailed: beatFailed()
        }
        proceed()
    }

    private mutating func proceed() {
        if let holdUntil, holdUntil <= now { self.holdUntil = nil }
        if let permitAt, permitAt <= now { self.permitAt = nil }
        // A probe that ended without an answer proves nothing.
        if pause.isProbing, flying == 0 { pause.probeEnded(now) }
        push()
        checkStop()
        guard isOpen, !isFinished else { return }
        if dueBeat.map({ $0 <= now }) ?? false { beat() }
        if call == nil { nextCall() }
    }

    /// When the next tick is due. An earlier one does no harm.
    var nextWake: MonotonicInstant? {
        if isFinished { return nil }
        var wakes = [leaseEnd, holdUntil].compactMap(\.self)
        // One that is due waits for a push.
        if let probe = pause.nextProbe, probe > now { wakes.append(probe) }
        if let stopAt { wakes.append(isWithdrawn ? stopAt.advanced(by: Times.grace) : stopAt) }
        if isOpen, let dueBeat { wakes.append(dueBeat) }
        if call == nil, isOpen {
            if let permitAt { wakes.append(permitAt) }
            if let retryAt {
                wakes.append(retryAt)
            } else if let dirtySince {
                wakes.append(dirtySince.advanced(by: Times.settle))
            }
        }
        return wakes.min()
    }
}
