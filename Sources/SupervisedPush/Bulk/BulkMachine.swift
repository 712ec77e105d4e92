/// Decides when a bulk reads its source, and when and how it ends. It knows numbers only: no source, no push, no clock.
///
/// It grants the reader a run of elements at a time. An element counts as open from the grant to the moment at which the
/// consumer has taken its outcome, and no more are open than the window has room for. A run is granted once a quarter of the
/// window is free, so that reader and connection don't pass single pushes to and fro; while no link is up none is, and
/// the one that is under way ends early (``mayRead``). A run ends with the number of elements it read.
///
/// It ends when the source has, or when it is stopped: by an outage that lasts too long, by the end of the connection, by the
/// consumer. Except for the last, the end waits until the reader has stopped and every push has its outcome.
struct BulkMachine: Sendable, Equatable {
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
        /// The timer fired.
        case tick
        /// Where the pushes go is no more, or takes none any more.
        case targetEnded
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
        /// Withdraw every push that has no outcome.
        case cancelAll
        /// Tick then; sooner does no harm.
        case armTimer(MonotonicInstant)
        /// Nothing follows but the outcomes that were not taken.
        case finish(Ending)
    }

    /// Why a bulk ended.
    enum Ending: Sendable, Equatable {
        case sourceEnded, sourceFailed, outage, targetEnded, cancelled
    }

    private let maxOutage: Duration
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
    private var armedFor: MonotonicInstant?
    /// How the source ended.
    private var exhausted: Ending?
    /// What stops it, whatever the source does.
    private(set) var stopped: Ending?
    private var isFinished = false

    /// A bulk that has not heard of a link.
    init(window: Int, maxOutage: Duration, rate: PushRate?, _ now: MonotonicInstant) {
        self.window = window
        self.maxOutage = maxOutage
        limit = rate.map { RateLimit($0, now) }
        downSince = now
    }

    /// Whether the run that is under way may go on.
    var mayRead: Bool { granted != nil && downSince == nil && stopped == nil }

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
        case .tick: armedFor = nil
        case .targetEnded: stop(.targetEnded, &actions)
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
        stopped = why
        if granted != nil { actions.append(.stopReader) }
        // A connection that closes sends what waits, or answers it.
        if why != .targetEnded { actions.append(.cancelAll) }
    }

    private mutating func proceed(_ now: MonotonicInstant, _ actions: inout [Action]) {
        if let downSince, stopped == nil, downSince.advanced(by: maxOutage) <= now { stop(.outage, &actions) }
        if let ending = stopped ?? exhausted, ending == .cancelled || (granted == nil && unsettled == 0) {
            isFinished = true
            return actions.append(.finish(ending))
        }
        grant(now, &actions)
        armTimer(&actions)
    }

    private mutating func grant(_ now: MonotonicInstant, _ actions: inout [Action]) {
        tokensAt = nil
        guard granted == nil, downSince == nil, stopped == nil, exhausted == nil else { return }
        let room = window - open
        guard room >= max(1, window / 4) else { return }
        var count = room
        if limit != nil {
            let tokens = limit?.available(now) ?? 0
            let wanted = min(room, limit?.quantum ?? 1)
            guard tokens >= wanted else {
                tokensAt = limit?.instant(of: wanted, now)
                return
            }
            count = min(room, tokens)
        }
        granted = count
        open += count
        actions.append(.read(count))
    }

    private mutating func armTimer(_ actions: inout [Action]) {
        let outageAt = stopped == nil ? downSince?.advanced(by: maxOutage) : nil
        guard let wake = [outageAt, tokensAt].compactMap(\.self).min(), wake != armedFor else { return }
        if let armedFor, armedFor < wake { return }
        armedFor = wake
        actions.append(.armTimer(wake))
    }
}
