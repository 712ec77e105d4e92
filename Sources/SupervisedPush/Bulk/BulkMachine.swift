import ProcessRuntime

/// Decides when a bulk reads its source, and when and how it ends. It knows numbers only: no source, no push, no clock.
///
/// It grants the reader a run of elements at a time. An element counts as open from the grant to the moment at which
/// the consumer has taken its outcome, and no more are open than the window has room for. A run is granted once an
/// eighth of the window is free: reader and connection don't pass single pushes to and fro, and the links never run
/// dry. While no link is up, only what may be read ahead is granted, and the run that is under way ends early
/// (``mayRead``). A run ends with the number of elements it read.
///
/// It ends when the source has, or when it is stopped: by an outage that lasts too long, by the end of the connection,
/// in order, by the consumer. Except for the last, the end waits until the reader has stopped and every push has its
/// outcome.
struct BulkMachine: StateMachine, Sendable, Equatable {
    enum Event: Sendable, Equatable {
        /// A link takes pushes.
        case linkUp
        case linkDown
        /// The reader's run is over, and the source is not.
        case read(Int)
        /// The source ended in this run, which read so many.
        case sourceEnded(read: Int)
        /// The source threw in this run, which read so many.
        case sourceFailed(read: Int)
        /// So many pushes have their outcome.
        case settled(Int)
        /// The consumer took so many outcomes.
        case taken(Int)
        /// Time passed.
        case tick
        /// Where the pushes go is no more, or takes none any more.
        case targetEnded
        /// It is to end in order: what was read has this time to get its outcome.
        case stop(within: Duration)
        /// The consumer goes.
        case cancelled
    }

    enum Action: Sendable, Equatable {
        /// The reader may read so many elements.
        case read(Int)
        /// There are outcomes.
        case wakeConsumer
        /// The source need not give what it is asked for.
        case stopReader
        /// Withdraw every push that has no outcome, those that are read later included.
        case cancelAll
        /// Nothing follows but the outcomes that were not taken.
        case finish(Ending)
    }

    /// Why a bulk ended.
    enum Ending: Sendable, Equatable {
        case sourceEnded, sourceFailed, outage, targetEnded, stopped, cancelled
    }

    private let maxOutage: Duration
    /// How many elements may be open while no link is up.
    private let readAhead: Int
    private var limit: RateLimit?
    /// How many elements may be open. Said before an event, and heeded with it.
    var window: Int
    private var open = 0
    private var unsettled = 0
    /// How many elements the reader's run may have; nil between two runs.
    private var granted: Int?
    /// Since when no link is up; nil while one is.
    private var downSince: MonotonicInstant?
    /// When there will be tokens for another run, if those are what is missing.
    private var tokensAt: MonotonicInstant?
    /// How the source ended.
    private var exhausted: Ending?
    /// What stops it, whatever the source does.
    private(set) var stopped: Ending?
    /// When what was stopped in order is withdrawn.
    private var withdrawAt: MonotonicInstant?
    /// True once every push without an outcome is withdrawn.
    private(set) var isWithdrawn = false
    private var isFinished = false

    /// A bulk that has not heard of a link.
    init(window: Int, maxOutage: Duration, rate: PushRate?, readAhead: Int = 0, _ now: MonotonicInstant) {
        self.window = window
        self.maxOutage = maxOutage
        // Where a rate is to be kept, all that was read ahead would go out at once.
        self.readAhead = rate == nil ? readAhead : 0
        limit = rate.map { RateLimit($0, now) }
        downSince = now
    }

    /// Whether the run that is under way may go on.
    var mayRead: Bool { granted != nil && stopped == nil && (downSince == nil || open <= room) }

    /// How many elements may be open at this moment.
    private var room: Int { downSince == nil ? window : min(window, readAhead) }

    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        guard !isFinished else { return }
        switch event {
        case .linkUp: downSince = nil
        case .linkDown: downSince = downSince ?? now
        case .read(let count): endRun(count, now)
        case .sourceEnded(let count):
            endRun(count, now)
            exhausted = .sourceEnded
        case .sourceFailed(let count):
            endRun(count, now)
            exhausted = .sourceFailed
        case .settled(let count):
            unsettled -= count
            actions.append(.wakeConsumer)
        case .taken(let count): open -= count
        case .tick: break
        case .targetEnded: stop(.targetEnded, &actions)
        case .stop(let time): stop(within: time, now, &actions)
        case .cancelled: stop(.cancelled, &actions)
        }
        proceed(now, &actions)
    }

    private mutating func endRun(_ count: Int, _ now: MonotonicInstant) {
        open -= (granted ?? 0) - count
        unsettled += count
        granted = nil
        limit?.take(count, now)
    }

    private mutating func stop(_ why: Ending, _ actions: inout [Action]) {
        // The first reason counts, but for the consumer, who hears of none any more.
        guard stopped == nil || why == .cancelled else { return }
        if stopped == nil, granted != nil { actions.append(.stopReader) }
        stopped = why
        // A connection that closes sends what waits, or answers it.
        if why == .outage || why == .cancelled { withdraw(&actions) }
    }

    private mutating func stop(within time: Duration, _ now: MonotonicInstant, _ actions: inout [Action]) {
        // Where the source has ended there is nothing to stop but the waiting.
        if exhausted == nil { stop(.stopped, &actions) }
        guard !isWithdrawn else { return }
        let instant = now.advanced(by: max(.zero, time))
        withdrawAt = min(withdrawAt ?? instant, instant)
    }

    private mutating func withdraw(_ actions: inout [Action]) {
        guard !isWithdrawn else { return }
        (isWithdrawn, withdrawAt) = (true, nil)
        actions.append(.cancelAll)
    }

    private mutating func proceed(_ now: MonotonicInstant, _ actions: inout [Action]) {
        if let downSince, stopped == nil, downSince.advanced(by: maxOutage) <= now { stop(.outage, &actions) }
        if unsettled > 0 || granted != nil, let withdrawAt, withdrawAt <= now { withdraw(&actions) }
        if let ending = stopped ?? exhausted, ending == .cancelled || (granted == nil && unsettled == 0) {
            isFinished = true
            return actions.append(.finish(ending))
        }
        grant(now, &actions)
    }

    private mutating func grant(_ now: MonotonicInstant, _ actions: inout [Action]) {
        tokensAt = nil
        guard granted == nil, stopped == nil, exhausted == nil else { return }
        let free = room - open
        guard free >= max(1, room / 8) else { return }
        var count = free
        if limit != nil {
            let tokens = limit?.available(now) ?? 0
            let wanted = min(free, limit?.quantum ?? 1)
            guard tokens >= wanted else {
                tokensAt = limit?.instant(of: wanted, now)
                return
            }
            count = min(free, tokens)
        }
        granted = count
        open += count
        actions.append(.read(count))
    }

    /// When the next tick is due; sooner does no harm.
    var nextWake: MonotonicInstant? {
        if isFinished { return nil }
        var wake = stopped == nil ? downSince?.advanced(by: maxOutage) : nil
        if let tokensAt { wake = min(wake ?? tokensAt, tokensAt) }
        if let withdrawAt { wake = min(wake ?? withdrawAt, withdrawAt) }
        return wake
    }
}
