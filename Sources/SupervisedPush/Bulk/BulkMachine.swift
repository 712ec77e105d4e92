import ProcessRuntime

/// Decides when a bulk reads its source, and when and how it ends. It knows only numbers: no source, no push, no clock.
///
/// It grants the reader a run of elements at a time. An element is open from the grant until the consumer has taken its
/// outcome; the window limits how many are open. A run is granted once an eighth of the window is free, so that reader
/// and connection do not exchange single pushes, and the links never run dry. While no link is up, only elements that
/// may be read ahead are granted, and the present run ends early (``mayRead``). A run ends with the number of elements
/// it read.
///
/// The bulk ends when its source does, or when it is stopped: by an outage that lasts too long, by the end of the
/// connection, in order, or by the consumer. Except for the last, the end waits until the reader has stopped and every
/// push has its outcome.
struct BulkMachine: StateMachine, Sendable, Equatable {
    enum Event: Sendable, Equatable {
        /// A link takes pushes.
        case linkUp
        case linkDown
        /// The reader's run is over; the source has more elements.
        case read(Int)
        /// The source ended in this run, which read this many elements.
        case sourceEnded(read: Int)
        /// The source threw in this run, which read this many elements.
        case sourceFailed(read: Int)
        /// This many pushes have their outcome.
        case settled(Int)
        /// The consumer took this many outcomes.
        case taken(Int)
        /// Time passed.
        case tick
        /// The target has ended, or takes no more pushes.
        case targetEnded
        /// End in order: pushes that were read have this time to get their outcome.
        case stop(within: Duration)
        /// The consumer has gone.
        case cancelled
    }

    enum Action: Sendable, Equatable {
        /// The reader may read this many elements.
        case read(Int)
        /// Outcomes are available.
        case wakeConsumer
        /// The source need not return the elements it was asked for.
        case stopReader
        /// Cancel every push without an outcome, including those read later.
        case cancelAll
        /// Only outcomes that were not taken remain.
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
    /// How many elements may be open. Set before an event, used by it.
    var window: Int
    private var open = 0
    private var unsettled = 0
    /// How many elements the reader's present run may have; nil between two runs.
    private var granted: Int?
    /// Since when no link is up; nil while one is up.
    private var downSince: MonotonicInstant?
    /// When there will be tokens for another run, if tokens are what is missing.
    private var tokensAt: MonotonicInstant?
    /// How the source ended.
    private var exhausted: Ending?
    /// What stops the bulk, whatever the source does.
    private(set) var stopped: Ending?
    /// When the pushes of a bulk that was stopped in order are cancelled.
    private var withdrawAt: MonotonicInstant?
    /// True once every push without an outcome is cancelled.
    private(set) var isWithdrawn = false
    private var isFinished = false

    /// A bulk that does not know yet whether a link is up.
    init(window: Int, maxOutage: Duration, rate: PushRate?, readAhead: Int = 0, _ now: MonotonicInstant) {
        self.window = window
        self.maxOutage = maxOutage
        // With a rate, all that was read ahead would go out at once.
        self.readAhead = rate == nil ? readAhead : 0
        limit = rate.map { RateLimit($0, now) }
        downSince = now
    }

    /// Whether the present run may continue.
    var mayRead: Bool { granted != nil && stopped == nil && (downSince == nil || open <= room) }

    /// How many elements may be open now.
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
        // The first reason counts, unless the consumer goes, who is told no reason any more.
        guard stopped == nil || why == .cancelled else { return }
        if stopped == nil, granted != nil { actions.append(.stopReader) }
        stopped = why
        // A connection that closes sends the waiting pushes, or completes them.
        if why == .outage || why == .cancelled { withdraw(&actions) }
    }

    private mutating func stop(within time: Duration, _ now: MonotonicInstant, _ actions: inout [Action]) {
        // If the source has ended, only the waiting has to stop.
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

    /// When the next tick is due. An earlier one does no harm.
    var nextWake: MonotonicInstant? {
        if isFinished { return nil }
        var wake = stopped == nil ? downSince?.advanced(by: maxOutage) : nil
        if let tokensAt { wake = min(wake ?? tokensAt, tokensAt) }
        if let withdrawAt { wake = min(wake ?? withdrawAt, withdrawAt) }
        return wake
    }
}
