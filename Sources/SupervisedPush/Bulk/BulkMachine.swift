import ProcessRuntime

/// Decides when a bulk reads its source, and when and how it ends. It knows only numbers: no source, no push, no clock.
///
/// It grants the reader a run of elements at a time. An element is open from the grant until the consumer has taken its
/// outcome; the window limits how many are open. A run is granted once an eighth of the window is free, so that reader
/// and connection do not exchange single pushes, and the links never run dry. While no link is up, only elements that
/// may be read ahead are granted, and the present run ends early (``mayRead``). A run ends with the number of elements
/// it read.
///
/// A push that was refused for a reason which is not its own (`PushResponse/Subject/leavesPushOpen`) is held, and pushed
/// again: see ``RefusalPause`` for when.
///
/// The bulk ends when its source does, or when it is stopped: by an outage or a refusal that lasts too long, by the end of
/// the connection, in order, or by the consumer. Except for the last, the end waits until the reader has stopped and every
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
        /// What became of pushes, one by one: told in place of `settled` whenever ``needsAnswers``, or if one is refused.
        case answers([Answer])
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

    /// What became of one push.
    enum Answer: Sendable, Equatable {
        case accepted
        /// It was rejected for a reason that is its own or its device's.
        case rejected
        /// It ended without an answer.
        case ended
        /// It was refused for a reason that is neither its own nor its device's, first at this instant, and this many times.
        case refused(ticket: Int, PushResponse.Subject, since: MonotonicInstant, times: Int)
    }

    enum Action: Sendable, Equatable {
        /// Push these again.
        case pushAgain([Int])
        /// These pushes end with the answer that they have.
        case end([Int])
        /// The bulk pauses, and the next probe goes then.
        case tellPause(PushResponse.Subject, nextProbe: Duration)
        /// It goes on.
        case tellResumption
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
        /// APNs refused the sender, or did not serve, for too long.
        case refused(PushResponse.Subject)
    }

    /// A push that was refused and is pushed again.
    private struct Held: Sendable, Equatable {
        let ticket: Int
        var dueAt: MonotonicInstant
    }

    private let maxOutage: Duration
    /// Whether refused pushes are pushed again.
    private let resends: Bool
    private(set) var pause = RefusalPause()
    /// In the order in which they were refused.
    private var held: [Held] = []
    /// When the next of them goes again, if there is no pause.
    private var againAt: MonotonicInstant?
    /// Whether the present run reads the probe.
    private var readsProbe = false
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
    init(
        window: Int, maxOutage: Duration, rate: PushRate?, readAhead: Int = 0, resends: Bool = true,
        _ now: MonotonicInstant
    ) {
        self.window = window
        self.maxOutage = maxOutage
        self.resends = resends
        // With a rate, all that was read ahead would go out at once.
        self.readAhead = rate == nil ? readAhead : 0
        limit = rate.map { RateLimit($0, now) }
        downSince = now
    }

    /// Whether the present run may continue.
    var mayRead: Bool {
        granted != nil && stopped == nil && (downSince == nil || open <= room) && (!pause.stands || readsProbe)
    }

    /// Whether answers must be told one by one. As long as pushes are accepted, they need not be.
    var needsAnswers: Bool { !pause.isHealthy }

    /// Whether it withdrew its pushes because an outage or a refusal lasted too long.
    var isWithdrawnByItself: Bool {
        switch stopped {
        case .outage, .refused: true
        default: false
        }
    }

    /// How many elements may be open now.
    private var room: Int { downSince == nil ? window : min(window, readAhead) }

    /// How many pushes the connection has.
    private var handedOver: Int { unsettled - held.count }

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
        case .answers(let answers): hear(answers, now, &actions)
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
        (granted, readsProbe) = (nil, false)
        limit?.take(count, now)
    }

    private mutating func stop(_ why: Ending, _ actions: inout [Action]) {
        // The first reason counts, unless the consumer goes: it needs no reason.
        guard stopped == nil || why == .cancelled else { return }
        if stopped == nil, granted != nil { actions.append(.stopReader) }
        stopped = why
        switch why {
        case .outage, .refused, .cancelled: withdraw(&actions)
        // A connection that closes sends the waiting pushes, or completes them.
        case .targetEnded: endHeld(&actions)
        case .sourceEnded, .sourceFailed, .stopped: break
        }
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
        endHeld(&actions)
        actions.append(.cancelAll)
    }

    private mutating func proceed(_ now: MonotonicInstant, _ actions: inout [Action]) {
        if let downSince, stopped == nil, downSince.advanced(by: maxOutage) <= now { stop(.outage, &actions) }
        if let cause = pause.cause, stopped == nil, pause.lasts(maxOutage, now) { stop(.refused(cause), &actions) }
        if unsettled > 0 || granted != nil, let withdrawAt, withdrawAt <= now { withdraw(&actions) }
        if let ending = stopped ?? exhausted, ending == .cancelled || (granted == nil && unsettled == 0) {
            isFinished = true
            return actions.append(.finish(ending))
        }
        tokensAt = nil
        // A probe that ended without an answer proves nothing.
        if pause.isProbing, granted == nil, handedOver == 0 { pause.probeEnded(now) }
        if pause.stands { probe(now, &actions) } else { pushAgain(now, &actions) }
        if !pause.stands { grant(now, &actions) }
    }

    private mutating func grant(_ now: MonotonicInstant, _ actions: inout [Action]) {
        guard granted == nil, stopped == nil, exhausted == nil, tokensAt == nil else { return }
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
        read(count, &actions)
    }

    private mutating func read(_ count: Int, _ actions: inout [Action]) {
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
        if let next = nextRefusalWake { wake = min(wake ?? next, next) }
        return wake
    }
}

/// Pushes that were refused for a reason that is neither their own nor their device's.
extension BulkMachine {
    /// Answers came.
    private mutating func hear(_ answers: [Answer], _ now: MonotonicInstant, _ actions: inout [Action]) {
        let stood = pause.stands
        var ended: [Int] = []
        var settles = false
        for answer in answers {
            if case .refused(let ticket, let subject, let since, let times) = answer {
                if mayHold(since: since, now) {
                    held.append(Held(ticket: ticket, dueAt: now.advanced(by: RefusalPause.delay(after: times))))
                } else {
                    ended.append(ticket)
                    unsettled -= 1
                }
                let isAlone = exhausted != nil && handedOver == 0
                guard let probe = pause.refused(subject, isAlone: isAlone, now), stopped == nil else { continue }
                actions.append(.tellPause(subject, nextProbe: probe))
                continue
            }
            (unsettled, settles) = (unsettled - 1, true)
            switch answer {
            case .accepted: pause.accepted()
            case .rejected: pause.rejected()
            case .ended, .refused: break
            }
        }
        if !ended.isEmpty { actions.append(.end(ended)) }
        if settles || !ended.isEmpty { actions.append(.wakeConsumer) }
        guard stood, !pause.stands else { return }
        for index in held.indices { held[index].dueAt = now }
        if stopped == nil { actions.append(.tellResumption) }
    }

    /// Whether a push that was refused is pushed again. What is refused again and again, while others are accepted, is so
    /// for a time.
    private func mayHold(since: MonotonicInstant, _ now: MonotonicInstant) -> Bool {
        resends && !isWithdrawn && stopped != .targetEnded && since.advanced(by: maxOutage) > now
    }

    private mutating func endHeld(_ actions: inout [Action]) {
        guard !held.isEmpty else { return }
        unsettled -= held.count
        actions += [.end(held.map(\.ticket)), .wakeConsumer]
        held = []
    }

    /// One push finds out whether APNs still refuses: one that was refused, or the next one of the source.
    private mutating func probe(_ now: MonotonicInstant, _ actions: inout [Action]) {
        guard pause.mayProbe(now), canProbe else { return }
        pause.beginProbe()
        if held.isEmpty {
            readsProbe = true
            return read(1, &actions)
        }
        limit?.take(1, now)
        actions.append(.pushAgain([held.removeFirst().ticket]))
    }

    private var canProbe: Bool {
        guard downSince == nil, !isWithdrawn else { return false }
        if !held.isEmpty { return true }
        return granted == nil && stopped == nil && exhausted == nil && handedOver == 0 && open < room
    }

    /// Pushes again what is due, at the rate.
    private mutating func pushAgain(_ now: MonotonicInstant, _ actions: inout [Action]) {
        againAt = nil
        guard !held.isEmpty, downSince == nil, !isWithdrawn else { return }
        againAt = held.lazy.map(\.dueAt).filter { $0 > now }.min()
        guard held.contains(where: { $0.dueAt <= now }) else { return }
        var most = Int.max
        if limit != nil {
            most = limit?.available(now) ?? 0
            if most == 0 { tokensAt = limit?.instant(of: 1, now) }
        }
        var due: [Int] = []
        held.removeAll { push in
            guard push.dueAt <= now, due.count < most else { return false }
            due.append(push.ticket)
            return true
        }
        guard !due.isEmpty else { return }
        limit?.take(due.count, now)
        actions.append(.pushAgain(due))
    }

    /// When the pause ends the bulk, the next probe is due, or a push goes again.
    private var nextRefusalWake: MonotonicInstant? {
        guard pause.stands else { return againAt }
        let end = stopped == nil ? pause.end(maxOutage) : nil
        guard let probe = pause.nextProbe, canProbe else { return end }
        return min(end ?? probe, probe)
    }
}
