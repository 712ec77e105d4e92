import FoundationEssentials
import SupervisedPush

/// The entries of a queue in memory, and what each call changes. Pure: the time is an argument.
struct MemoryEntries: Sendable {
    /// Where an entry is.
    enum Place: Sendable, Equatable {
        case waiting
        case delayed(until: Date)
        case taken(by: WorkerID)
        case dead(reason: String)
    }

    /// An entry and what is known of it.
    struct Stored: Sendable {
        var entry: Result<QueueEntry, QueueError>
        let arrival: Date
        var place: Place
        /// How many of its tokens workers that died may have sent.
        var offeredBefore = 0
        /// How many of its tokens the worker that has it may have sent.
        var offered = 0
        var settled = TokenSet()
        var doubts = 0
        var retries = 0
        /// The tokens whose outcome is that the entry is dead. They are open again if it is put back.
        var endedByDeath = TokenSet()

        /// The worker that had it has died.
        mutating func isLeftBehind() {
            // An entry of one slice is offered by being taken.
            if count <= TakenEntry.wholeOffer { offered = max(offered, count) }
            (offeredBefore, offered) = (max(offeredBefore, offered), 0)
            if offeredBefore > 0 { doubts += 1 }
        }

        /// None of its tokens is in doubt.
        mutating func isCertain() { (offeredBefore, offered, doubts) = (0, 0, 0) }

        var id: EntryID? { (try? entry.get())?.id }

        /// Whether a worker that died may have sent something of it.
        var isInDoubt: Bool { doubts > 0 || offeredBefore > 0 }

        var isDead: Bool { if case .dead = place { true } else { false } }
        var isUrgent: Bool { (try? entry.get())?.isUrgent ?? false }
        var count: Int { (try? entry.get())?.tokens.count ?? 0 }
        /// How many of its tokens have no outcome.
        var openCount: Int { count - settled.count }
    }

    let maxEntries: Int
    /// Their numbers are never used again.
    var stored: [UInt64: Stored] = [:]
    private var lastNumber: UInt64 = 0
    var urgent = MemoryLane()
    var ordinary = MemoryLane()
    var debt = LaneDebt()
    var delayed: Set<UInt64> = []
    var taken: [WorkerID: Set<UInt64>] = [:]
    var counters: [WorkerID: UInt64] = [:]
    var outcomes: MemoryOutcomes
    private var beats: [WorkerID: Date] = [:]
    private var notes: [WorkerID: String] = [:]
    private var calls = MemoryCalls()
    /// See ``QueueRate``.
    private var permittedUntil: Int64 = 0
    private(set) var steering = QueueSteering()
    var campaigns = CampaignLedger()
    var campaignOutcomes: [CampaignName: CampaignOutcomes] = [:]
    /// Up to when the tokens of campaigns with a rate are charged, see ``QueueRate``.
    var charged: [CampaignName: Int64] = [:]

    init(maxEntries: Int, maxOutcomes: Int) {
        self.maxEntries = maxEntries
        outcomes = MemoryOutcomes(limit: maxOutcomes)
    }

    /// Removes everything, as when a server is emptied. No number is used again.
    mutating func removeAll() {
        let last = lastNumber
        self = MemoryEntries(maxEntries: maxEntries, maxOutcomes: outcomes.firstLimit)
        lastNumber = last
    }

    // MARK: Producers

    mutating func enqueue(_ entries: [Result<QueueEntry, QueueError>], _ now: Date) throws(QueueError) {
        let call = try? entries.first?.get().id
        if let call, calls.knows(call, now) { return }
        try add(entries, now)
        if let call { calls.remember(call, now) }
    }

    mutating func add(_ entries: [Result<QueueEntry, QueueError>], _ now: Date) throws(QueueError) {
        guard stored.count + entries.count <= maxEntries else {
            throw QueueError(
                .full,
                "The queue has \(stored.count) of at most \(maxEntries) entries, so \(entries.count) were not added. "
                    + "Add them later, or add workers.")
        }
        for entry in entries {
            lastNumber += 1
            stored[lastNumber] = Stored(entry: entry, arrival: now, place: .waiting)
            let notBefore = (try? entry.get())?.notBefore
            if let notBefore, notBefore > now {
                delay(lastNumber, until: notBefore)
            } else {
                joinLane(lastNumber)
            }
        }
    }

    mutating func cancel(_ ids: Set<EntryID>) -> Cancellation {
        var report = Cancellation()
        for number in allWaiting + delayed.sorted() {
            guard let entry = stored[number], let id = entry.id, ids.contains(id), !entry.isInDoubt else { continue }
            report.removed.append(id)
            takeOut(number)
        }
        forgetTakenOut()
        let kept = taken.values.joined().sorted() + allWaiting + delayed.sorted()
        report.taken = kept.compactMap { stored[$0]?.id }.filter(ids.contains)
        return report
    }

    mutating func steer(_ order: SteeringOrder) -> QueueSteering {
        steering = steering.after(order)
        return steering
    }

    // MARK: Workers

    mutating func permit(_ tokens: Int, _ rate: QueueRate, _ now: Date) -> PushPermit {
        rate.permit(tokens, stored: &permittedUntil, now: Self.nanoseconds(now))
    }

    static func nanoseconds(_ time: Date) -> Int64 { Int64(time.timeIntervalSince1970 * 1_000_000_000) }

    mutating func give(_ number: UInt64, to worker: WorkerID) -> TakenEntry? {
        stored[number]?.place = .taken(by: worker)
        taken[worker, default: []].insert(number)
        return view(number)
    }

    private func view(_ number: UInt64) -> TakenEntry? {
        stored[number].map {
            TakenEntry(
                Self.key(number), $0.entry, offered: $0.offeredBefore, settled: $0.settled, doubts: $0.doubts,
                retries: $0.retries, hold: campaigns.hasHolds ? hold(of: number) : nil)
        }
    }

    func recover(as worker: WorkerID, besides known: Set<TakenEntry.Key>) -> [TakenEntry] {
        (taken[worker] ?? []).sorted().filter { !known.contains(Self.key($0)) }.compactMap(view)
    }

    mutating func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) throws(QueueError) {
        let mine = taken[worker] ?? []
        for key in ends.keys {
            guard let number = Self.number(key), mine.contains(number) else {
                throw QueueError(
                    .fenced, "Another worker has taken over an entry of \(worker): its heartbeats came too late.")
            }
        }
        for (key, end) in ends {
            guard let number = Self.number(key), let old = stored[number]?.offered else { continue }
            stored[number]?.offered = max(old, end)
        }
    }

    mutating func settle(as worker: WorkerID, _ settlements: [Settlement], at now: Date) {
        for settlement in settlements {
            guard let number = Self.number(settlement.key), var entry = stored[number] else { continue }
            let isMine = entry.place == .taken(by: worker)
            for row in settlement.rows where !entry.settled.contains(row.index) && 0..<entry.count ~= row.index {
                entry.settled.insert(row.index)
                if case .dead = settlement.fate, row.certainty != .answered { entry.endedByDeath.insert(row.index) }
                outcomes.append(row, at: now)
                if let name = settlement.campaign, campaigns[name] != nil {
                    campaignOutcomes[name, default: CampaignOutcomes()].add(row.outcome)
                }
            }
            stored[number] = entry
            if isMine {
                end(number, as: settlement.fate, by: worker)
            } else if entry.settled.count == entry.count, !entry.isDead {
                remove(number)
            }
        }
    }

    private mutating func end(_ number: UInt64, as fate: Settlement.Fate, by worker: WorkerID) {
        switch fate {
        case .open: return
        case .done: remove(number)
        case .dead(let reason):
            taken[worker]?.remove(number)
            stored[number]?.place = .dead(reason: reason)
        case .again(let date, let retries):
            stored[number]?.retries = retries
            taken[worker]?.remove(number)
            // No token is in doubt: each that was sent was answered.
            stored[number]?.isCertain()
            delay(number, until: date)
        case .cancelled:
            taken[worker]?.remove(number)
            takeOut(number)
        }
    }

    private mutating func remove(_ number: UInt64) {
        guard let entry = stored.removeValue(forKey: number) else { return }
        switch entry.place {
        case .taken(let worker): taken[worker]?.remove(number)
        case .waiting:
            urgent.removeAll { $0 == number }
            ordinary.removeAll { $0 == number }
        case .delayed: delayed.remove(number)
        case .dead: break
        }
    }

    mutating func release(as worker: WorkerID, _ keys: [TakenEntry.Key]) {
        for key in keys {
            guard let number = Self.number(key), taken[worker]?.remove(number) != nil else { continue }
            stored[number]?.offered = 0
            wait(number)
        }
    }

    private mutating func wait(_ number: UInt64) {
        stored[number]?.place = .waiting
        joinLane(number, isReleased: true)
    }

    mutating func beat(as worker: WorkerID, _ now: Date) -> [WorkerID: UInt64] {
        counters[worker, default: 0] += 1
        beats[worker] = now
        moveDue(now)
        return counters
    }

    mutating func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) -> [TakenEntry] {
        guard dead != worker, counters[dead] == counter else { return [] }
        counters[worker] = counters[worker] ?? 0
        var list: [TakenEntry] = []
        for number in (taken[dead] ?? []).sorted() where list.count < max(1, limit) {
            taken[dead]?.remove(number)
            stored[number]?.isLeftBehind()
            if keepsBack(number) {
                wait(number)
            } else if let entry = give(number, to: worker) {
                list.append(entry)
            }
        }
        dropCancelled()
        if taken[dead]?.isEmpty ?? true { forget(dead) }
        return list
    }

    mutating func leave(as worker: WorkerID) {
        if taken[worker]?.isEmpty ?? true { forget(worker) }
    }

    private mutating func forget(_ worker: WorkerID) {
        (taken[worker], counters[worker], beats[worker], notes[worker]) = (nil, nil, nil, nil)
    }

    // MARK: Delayed entries

    private mutating func delay(_ number: UInt64, until date: Date) {
        stored[number]?.place = .delayed(until: date)
        delayed.insert(number)
    }

    /// Moves delayed entries whose time has come.
    mutating func moveDue(_ now: Date) {
        var due: [(Date, UInt64)] = []
        for number in delayed {
            guard case .delayed(let date)? = stored[number]?.place, date <= now else { continue }
            due.append((date, number))
        }
        for (_, number) in due.sorted(by: <) {
            delayed.remove(number)
            stored[number]?.place = .waiting
            joinLane(number)
        }
    }

    /// When the next entry may be taken, if none can be now.
    func nextDue(_ now: Date) -> Date? {
        let due = delayed.compactMap { if case .delayed(let date)? = stored[$0]?.place { date } else { nil } }.min()
        return [due, nextAtRate(now)].compactMap(\.self).min()
    }

    // MARK: Readers

    private var deadNumbers: [UInt64] {
        stored.keys.filter { if case .dead? = stored[$0]?.place { true } else { false } }.sorted()
    }

    func deadLetters(limit: Int) -> [DeadLetter] {
        deadNumbers.prefix(max(1, limit)).compactMap { number in
            guard let entry = stored[number], case .dead(let reason) = entry.place else { return nil }
            return DeadLetter(Self.key(number), entry.entry, reason: reason)
        }
    }

    mutating func requeue(_ letters: [DeadLetter.Key]) -> [DeadLetter.Key] {
        letters.filter { letter in
            guard let number = Self.number(letter), var entry = stored[number], entry.isDead else { return false }
            for index in 0..<entry.count where entry.endedByDeath.contains(index) { entry.settled.remove(index) }
            entry.endedByDeath = TokenSet()
            entry.place = .waiting
            entry.retries = 0
            entry.isCertain()
            stored[number] = entry
            joinLane(number)
            return true
        }
    }

    mutating func discard(_ letters: [DeadLetter.Key]) -> [DeadLetter.Key] {
        letters.filter { letter in
            guard let number = Self.number(letter), stored[number]?.isDead == true else { return false }
            stored[number] = nil
            return true
        }
    }

    mutating func note(as worker: WorkerID, _ note: String?) {
        if counters[worker] != nil { notes[worker] = note }
    }

    func status(_ now: Date) -> QueueStatus {
        var status = QueueStatus()
        status.waiting = allWaiting.count
        status.urgent = urgent.all.count
        status.delayed = delayed.count
        for worker in Set(taken.keys).union(counters.keys) {
            let silence = beats[worker].map { Duration.seconds(max(0, now.timeIntervalSince($0))) }
            status.workers[worker] = WorkerStanding(
                taken: taken[worker]?.count ?? 0, silence: silence, note: notes[worker])
        }
        status.dead = deadNumbers.count
        status.oldest = allWaiting.compactMap { stored[$0]?.arrival }.min()
        status.outcomes = outcomes.count
        status.outcomesCut = outcomes.cut
        status.maxOutcomes = outcomes.storedLimit
        status.steering = steering
        return status
    }

    // MARK: Keys

    private static func key(_ number: UInt64) -> TakenEntry.Key { TakenEntry.Key(number) }
    private static func number(_ key: TakenEntry.Key) -> UInt64? { key.number }
}
