import FoundationEssentials
import ProcessRuntime

/// What the worker's machine knows of an entry that it has taken.
///
/// Three states say where it stands, each by itself: whose it is, how it leaves the worker, and what the
/// store must hear.
struct WorkerEntry: Sendable {
    /// Whose it is, as far as the worker knows.
    enum Owner: Sendable, Equatable {
        /// The worker's. Next: each of the others.
        case mine
        /// The worker's, and the store must confirm that before more of it is pushed. Next: `mine` once it does, `unsure`,
        /// `another`.
        case unconfirmed
        /// Pushes of it were in flight when the worker lost its lease. Another worker may have had it since, so the store must
        /// say whose it is, and how much of it is in doubt. Next: `mine` or `unconfirmed` if it comes back, else `another`.
        ///
        /// - isAsked: Whether the look for lost replies that is under way asks for it, too.
        case unsure(isAsked: Bool)
        /// Another worker's. Answers still count. Next: `mine` or `unconfirmed`, if it comes back.
        case another
    }

    /// How it leaves the worker.
    enum Leaving: Sendable, Equatable {
        /// Not yet. Next: each of the others.
        case staying
        /// To the queue, as soon as nothing of it is in flight. Next: `staying` if it must be pushed by this worker or comes
        /// back, `releasing`, `decided`.
        case givingBack
        /// To the queue, by a call under way. Next: it is forgotten.
        case releasing
        /// By a settlement with this fate, which does not change: the store may know it. Next: it is forgotten; `staying` if it
        /// comes back after `again`.
        case decided(WorkerMachine.Fate)
    }

    /// What the store must hear of it.
    enum Settling: Sendable, Equatable {
        /// There is nothing to report. Next: `waiting`.
        case nothing
        /// Next: `underWay`.
        case waiting
        /// Its first rows are in the settlement under way. Next: `nothing`; `waiting` if there is more by then, or the call
        /// fails.
        case underWay(rows: Int, hasMore: Bool)
    }

    /// The most tokens that are offered for sending at a time.
    static let slice = TakenEntry.wholeOffer

    let id: EntryID?
    let count: Int
    let neverRepeats: Bool
    let deadline: MonotonicInstant?
    let campaign: CampaignName?
    /// Why nothing more of it is pushed, because of its campaign.
    var hold: QueueCampaign.Hold?
    private(set) var doubts: Int
    /// How often it was postponed because APNs asked for it, before this worker got it.
    private(set) var retries: Int
    /// How many tokens the store counts as offered, as far as this worker told it.
    var offered: Int

    /// The tokens without an outcome: those in flight, too.
    private(set) var open: TokenSet
    private(set) var openCount: Int
    /// The open tokens that an earlier worker may have sent.
    var doubtful: TokenSet
    /// Offered tokens that are not in flight.
    var ready: [Int]
    /// How often a token was refused, if it was.
    private var refusals: [Int: Int] = [:]
    /// How many are in flight.
    var flying = 0
    /// The tokens that APNs wants to get later, and when.
    var later = TokenSet()
    var laterAt: Date?
    /// The tokens in flight that got their outcome from another worker meanwhile.
    private var overtaken = TokenSet()

    /// Outcomes that the store does not have yet; the first of them, if any, are in the settlement under way.
    var rows: [WorkerMachine.Row] = []
    var owner = Owner.mine
    var leaving = Leaving.staying
    var settling = Settling.nothing
    /// Whether a push of it was sent since it was taken, or the store was asked to count more of it as offered.
    var isTouched = false

    /// An entry of no tokens, for a free place.
    static let blank = WorkerEntry(WorkerMachine.Facts(key: TakenEntry.Key(0)), reclaimed: false)

    init(_ facts: WorkerMachine.Facts, reclaimed: Bool) {
        (id, count, neverRepeats, deadline) = (facts.id, facts.count, facts.neverRepeats, facts.deadline)
        (doubts, retries, campaign, hold) = (facts.doubts, facts.retries, facts.campaign, facts.hold)
        let (end, isDoubtful) = (Self.offered(facts), Self.isDoubtful(facts, reclaimed: reclaimed))
        offered = end
        open = TokenSet()
        doubtful = TokenSet()
        ready = []
        openCount = 0
        for index in 0..<facts.count where !facts.settled.contains(index) {
            open.insert(index)
            openCount += 1
            guard index < end else { continue }
            ready.append(index)
            if isDoubtful { doubtful.insert(index) }
        }
    }

    /// How many tokens the store counts as offered.
    private static func offered(_ facts: WorkerMachine.Facts) -> Int {
        // A store that is damaged may say any number.
        facts.count <= slice && facts.offered == 0 ? facts.count : min(max(0, facts.offered), facts.count)
    }

    /// Whether an earlier worker may have sent those.
    private static func isDoubtful(_ facts: WorkerMachine.Facts, reclaimed: Bool) -> Bool {
        reclaimed || facts.doubts > 0 || facts.offered > 0
    }

    func isOpen(_ index: Int) -> Bool { open.contains(index) }

    /// The token has its outcome.
    mutating func end(_ index: Int, _ kind: WorkerMachine.Row.Kind) {
        open.remove(index)
        openCount -= 1
        doubtful.remove(index)
        rows.append(WorkerMachine.Row(index, kind))
    }

    /// Ends all open tokens, of which none is in flight: those in doubt as `interrupted`, those that APNs wants to get
    /// later with that answer, the others as `kind`.
    mutating func endAll(_ kind: WorkerMachine.Row.Kind) {
        for index in 0..<count where open.contains(index) {
            end(index, later.contains(index) ? .told : doubtful.contains(index) ? .interrupted : kind)
        }
        ready = []
    }

    /// Ends the tokens in doubt as `interrupted`.
    mutating func endDoubtful() {
        ready.removeAll { doubtful.contains($0) }
        for index in 0..<count where doubtful.contains(index) { end(index, .interrupted) }
    }

    /// Whether it is held otherwise than before. A cancellation is final.
    func isChanged(by holds: [CampaignName: QueueCampaign.Hold]) -> Bool {
        guard let campaign, hold != .cancelled else { return false }
        return holds[campaign] != hold
    }

    mutating func obey(_ holds: [CampaignName: QueueCampaign.Hold]) { hold = campaign.flatMap { holds[$0] } }

    /// Its campaign was cancelled: its open tokens get no outcome, but those in doubt.
    mutating func cancel() {
        endDoubtful()
        ready = []
        leaving = .decided(.cancelled)
    }

    /// Whether too many workers died with it for it to be pushed again.
    var isDead: Bool { doubts >= 3 }

    /// More of it may be pushed, as far as it is concerned.
    var goesOn: Bool { leaving == .staying && isOwned && !isDead }

    /// Whether the worker has it, as far as it knows.
    var isOwned: Bool { owner == .mine || owner == .unconfirmed }

    /// Whether nothing of it is in flight, and it is not decided what becomes of it.
    var isUndecided: Bool { flying == 0 && (leaving == .staying || leaving == .givingBack) }

    /// Whether a settlement says what becomes of it.
    var isDecided: Bool { if case .decided = leaving { true } else { false } }

    /// Whether the store has all that it is to be told, and the call that told it is over.
    var isSettled: Bool { rows.isEmpty && !settling.isUnderWay }

    /// Whether it is pushed again if it comes back. Otherwise it has ended, or goes back with the doubts that it has.
    private var canComeBack: Bool {
        switch leaving {
        case .staying, .givingBack, .decided(.again): true
        case .releasing, .decided: false
        }
    }

    /// The worker has it again after another one may have had it. Its own pushes may still be in flight: they are not
    /// pushed again, and their answers count.
    ///
    /// - Returns: How many more tokens may be sent now, and how many more are in doubt.
    mutating func comeBack(_ facts: WorkerMachine.Facts, reclaimed: Bool) -> (ready: Int, doubtful: Int) {
        owner = .mine
        guard canComeBack else { return (0, 0) }
        leaving = hold == nil ? .staying : .givingBack
        (doubts, retries) = (facts.doubts, max(retries, facts.retries))
        let before = (ready: ready.count, doubtful: doubtful.count)
        let doubted = Self.isDoubtful(facts, reclaimed: reclaimed) ? Self.offered(facts) : 0
        let unsent = TokenSet(ready)
        ready = []
        for index in 0..<count where open.contains(index) {
            let isLater = later.contains(index)
            let isFlying = index < offered && !isLater && !unsent.contains(index)
            if facts.settled.contains(index) {
                if isFlying { overtaken.insert(index) } else { drop(index) }
            } else if index < doubted, neverRepeats, !isFlying {
                end(index, .interrupted)
            } else if index < doubted {
                doubtful.insert(index)
                later.remove(index)
                if !isFlying { ready.append(index) }
            } else if !isFlying, !isLater, index < max(offered, facts.offered) {
                ready.append(index)
            }
        }
        if later.isEmpty { laterAt = nil }
        offered = max(offered, Self.offered(facts))
        // What the store counted as offered for this worker may be forgotten.
        if count > Self.slice, offered > 0 { (owner, isTouched) = (.unconfirmed, true) }
        return (max(0, ready.count - before.ready), max(0, doubtful.count - before.doubtful))
    }

    /// Another worker has stored an outcome of the token.
    private mutating func drop(_ index: Int) {
        open.remove(index)
        openCount -= 1
        doubtful.remove(index)
        later.remove(index)
    }

    /// Whether it has tokens that may be pushed now, as far as it is concerned.
    var canBePushed: Bool { goesOn && owner == .mine && !ready.isEmpty }

    /// The tokens of the next push, at most this many; they are in flight now.
    mutating func takeSlice(_ most: Int) -> [Int] {
        var tokens = ready
        if tokens.count > most {
            tokens = Array(ready.prefix(most))
            ready.removeFirst(most)
        } else {
            ready = []
        }
        flying += tokens.count
        return tokens
    }

    /// Its rows are in the settlement that begins. It is done once each token has its outcome.
    ///
    /// - Returns: What the settlement says of it.
    mutating func beginSettling() -> WorkerMachine.Fate {
        settling = .underWay(rows: rows.count, hasMore: false)
        if openCount == 0, owner != .another, isUndecided { leaving = .decided(.done) }
        if case .decided(let fate) = leaving { return fate }
        return .open
    }

    /// The store has the rows of the settlement.
    ///
    /// - Returns: Whether the entry is over.
    mutating func didSettle() -> Bool {
        guard case .underWay(let count, let hasMore) = settling else { return false }
        rows.removeFirst(count)
        settling = hasMore ? .waiting : .nothing
        if case .decided = leaving { return !hasMore }
        return false
    }

    /// The end of the next slice that the store must hear of; nil if there is none now.
    var wantedOffer: Int? {
        guard goesOn else { return nil }
        if owner == .unconfirmed { return offered }
        guard ready.isEmpty, later.isEmpty else { return nil }
        // Tokens that have an outcome cost no call.
        return (offered..<count).first(where: open.contains).map { min(count, $0 + Self.slice) }
    }

    /// How many tokens an offer up to this end adds to those that may be sent.
    func cost(ofOffer end: Int) -> Int { end > offered ? (offered..<end).count(where: open.contains) : 0 }

    /// The store knows that the tokens before this end are offered.
    mutating func didOffer(_ end: Int) {
        if owner == .unconfirmed { owner = .mine }
        guard end > offered else { return }
        ready.append(contentsOf: (offered..<end).filter(open.contains))
        offered = end
    }

    /// Pushes ended.
    ///
    /// - Parameter mayRetry: Whether tokens that APNs wants to get later are postponed. Otherwise they have their outcome.
    /// - Returns: How many of them were in flight, by what became of them: those that failed were refused too often, and
    ///   those that were refused are also among the unsent. Of those dropped, another worker has stored the outcome.
    mutating func end(
        _ list: ArraySlice<WorkerMachine.Ended>, mayRetry: Bool
    ) -> (told: Int, later: Int, unsent: Int, refused: Int, failed: Int, dropped: Int) {
        var count = (told: 0, later: 0, unsent: 0, refused: 0, failed: 0, dropped: 0)
        for ended in list where flying > 0 && open.contains(ended.index) {
            flying -= 1
            switch ended.ending {
            case _ where overtaken.contains(ended.index):
                isTouched = true
                overtaken.remove(ended.index)
                drop(ended.index)
                count.dropped += 1
            case let ending where ending != .told && neverRepeats && doubtful.contains(ended.index):
                // It came back to this worker while its push was in flight. Another one may have sent it, too.
                isTouched = true
                end(ended.index, .interrupted)
                count.failed += 1
            case .refused
            where owner != .another && refusals[ended.index, default: 0] + 1 >= WorkerMachine.mostRefusals:
                isTouched = true
                // Its result says that it did not arrive, which is true of this worker's push only.
                end(ended.index, doubtful.contains(ended.index) ? .interrupted : .told)
                count.failed += 1
            case .unsent, .refused:
                if ended.ending == .refused {
                    refusals[ended.index, default: 0] += 1
                    count.refused += 1
                }
                ready.append(ended.index)
                count.unsent += 1
            case .later(let date) where mayRetry && owner != .another:
                postpone(ended.index, to: date)
                count.later += 1
            case .told, .later:
                isTouched = true
                end(ended.index, .told)
                count.told += 1
            }
        }
        return count
    }

    /// APNs wants to get the token later.
    private mutating func postpone(_ index: Int, to date: Date) {
        isTouched = true
        doubtful.remove(index)
        later.insert(index)
        laterAt = max(laterAt ?? date, date)
    }
}

extension WorkerEntry.Settling {
    var isUnderWay: Bool { if case .underWay = self { true } else { false } }

    /// There is something to tell.
    ///
    /// - Returns: Whether that is new: the entry does not wait for a settlement yet.
    mutating func add() -> Bool {
        switch self {
        case .nothing: self = .waiting
        case .underWay(let rows, hasMore: false): self = .underWay(rows: rows, hasMore: true)
        case .waiting, .underWay: return false
        }
        return true
    }
}
