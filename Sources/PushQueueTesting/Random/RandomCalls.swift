import FoundationEssentials
import ProcessRuntime
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreStage {
    /// Makes random calls of three workers, some of which stop at any moment and never come back, lose replies, or repeat what
    /// they told. A model judges each answer. At the end each token has exactly one outcome.
    public func checkRandomCalls(seed: UInt64, calls: Int = 200) async throws {
        var run = RandomCalls(try await open(), now, SeededGenerator(seed: seed))
        for _ in 0..<calls { try await run.call() }
        try await run.finish()
    }
}

struct RandomCalls {
    let store: any PushQueueStore
    let now: @Sendable () -> Date
    var random: SeededGenerator
    var entries: [EntryID: ModelEntry] = [:]
    var holds: [WorkerID: [ModelHold]] = [.ann: [], .bob: [], .eve: []]
    /// What workers that stopped believed to have; their last calls may still arrive.
    var ghosts: [WorkerID: [ModelHold]] = [:]
    var expected: [QueueOutcome] = []
    /// How many tokens were permitted, at a rate of which no test reaches the second burst.
    private var permitted = 0
    private static let rate = QueueRate(perSecond: 0.001, burst: 100)
    private var lives = 1
    private var debt = LaneDebt()

    init(_ store: any PushQueueStore, _ now: @escaping @Sendable () -> Date, _ random: SeededGenerator) {
        self.store = store
        self.now = now
        self.random = random
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func worker() -> WorkerID {
        holds.keys.sorted { $0.description < $1.description }.randomElement(using: &random) ?? .ann
    }

    mutating func call() async throws {
        let worker = worker()
        switch Int.random(in: 0..<100, using: &random) {
        case ..<18: try await enqueue()
        case ..<36: try await take(as: worker)
        case ..<42: try await recover(as: worker)
        case ..<50: try await offer(as: worker)
        case ..<72: try await settle(as: worker)
        case ..<80: try await release(as: worker)
        case ..<85: _ = try await store.beat(as: worker)
        case ..<89: try await stop(worker)
        case ..<95: try await reclaim(as: worker)
        case ..<97: try await settleLate()
        case ..<98: try await permit(as: worker)
        default: try await cancel()
        }
    }

    // MARK: Calls

    private mutating func enqueue() async throws {
        let new = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let count = [1, 1, 2, 5, 300].randomElement(using: &random) ?? 1
            var entry = try sampleEntry(count, id: EntryID(using: &random))
            entry.isUrgent = chance(40)
            return entry
        }
        try await store.enqueue(new)
        if chance(15) { try await store.enqueue(new) }
        for entry in new { entries[entry.id] = ModelEntry(entry) }
    }

    private mutating func take(as worker: WorkerID) async throws {
        let room = Int.random(in: 1...400, using: &random)
        let taken = try await store.take(as: worker, tokens: room)
        let tokens = taken.reduce(0) { $0 + (entries[$1.id]?.open.count ?? 0) }
        #expect(taken.count <= 1 || tokens <= room)
        if taken.isEmpty {
            #expect(
                !entries.values.contains { !$0.isGone && $0.owner == nil }, "Something waits, and nothing was taken.")
        }
        for entry in taken {
            #expect(entries[entry.id].map { $0.owner == nil && !$0.isGone } == true, "It was not waiting.")
            expectLane(of: entry)
            entries[entry.id]?.take(as: worker)
        }
        // A reply may be lost: then the worker does not know what it has.
        if !chance(15) { believe(taken, worker) }
    }

    private mutating func recover(as worker: WorkerID) async throws {
        let known = Set(holds[worker, default: []].map(\.taken.key))
        let found = try await store.recover(as: worker, besides: known)
        let believed = Set(holds[worker, default: []].map(\.taken.id))
        let missing = entries.values.filter { $0.owner == worker && !$0.isGone && !believed.contains($0.entry.id) }
        #expect(Set(found.map(\.id)) == Set(missing.map(\.entry.id)))
        believe(found, worker)
    }

    private mutating func offer(as worker: WorkerID) async throws {
        guard let hold = holds[worker]?.randomElement(using: &random), let model = entries[hold.taken.id] else {
            return
        }
        let end = min(model.count, max(model.end, model.offered) + 100)
        try await store.offer(as: worker, [hold.taken.key: end])
        entries[hold.taken.id]?.end = end
        touch(hold, worker)
    }

    private mutating func settle(as worker: WorkerID) async throws {
        var settlements: [Settlement] = []
        for hold in holds[worker, default: []] where chance(60) {
            guard let model = entries[hold.taken.id] else { continue }
            let rows = try rows(of: hold, among: model)
            let isWhole = rows.count == model.open.count
            let fate: Settlement.Fate =
                isWhole
                ? .done
                : chance(30)
                    ? .again(notBefore: now() - 1, retries: model.retries + (chance(50) ? 1 : 0))
                    : chance(5) ? .cancelled : .open
            settlements.append(Settlement(hold.taken.key, rows: rows, fate: fate))
            record(rows)
            switch fate {
            case .done: entries[hold.taken.id]?.isGone = true
            case .cancelled: entries[hold.taken.id]?.cancel()
            case .again(_, let retries): entries[hold.taken.id]?.again(retries)
            case .open, .dead: touch(hold, worker)
            }
            if fate != .open { holds[worker]?.removeAll { $0.taken.key == hold.taken.key } }
        }
        try await store.settle(as: worker, settlements)
        if chance(30) { try await store.settle(as: worker, settlements) }
        _ = try await store.beat(as: worker)
    }

    private mutating func release(as worker: WorkerID) async throws {
        let given = holds[worker, default: []].filter { !$0.isTouched && chance(50) }
        try await store.release(as: worker, given.map(\.taken.key))
        if chance(30) { try await store.release(as: worker, given.map(\.taken.key)) }
        for hold in given { entries[hold.taken.id]?.release() }
        let keys = Set(given.map(\.taken.key))
        holds[worker]?.removeAll { keys.contains($0.taken.key) }
    }

    private mutating func stop(_ worker: WorkerID) async throws {
        ghosts[worker] = holds.removeValue(forKey: worker)
        lives += 1
        let next = WorkerID("life-\(lives)")
        try await store.open(as: next)
        holds[next] = []
    }

    private mutating func reclaim(as worker: WorkerID) async throws {
        guard let dead = deadWithEntries().randomElement(using: &random) else { return }
        let counter = try await store.beat(as: worker)[dead] ?? 0
        let limit = Int.random(in: 1...4, using: &random)
        let found = try await store.reclaim(from: dead, at: counter, as: worker, limit: limit)
        let had = entries.values.filter { $0.owner == dead && !$0.isGone }.count
        #expect(found.count == min(had, limit))
        for entry in found {
            #expect(entries[entry.id]?.owner == dead, "The dead worker did not have it.")
            entries[entry.id]?.reclaim(as: worker)
        }
        if !chance(15) { believe(found, worker) }
    }

    /// An answer of a worker that counts as dead arrives when another has the entry.
    private mutating func settleLate() async throws {
        for (dead, held) in ghosts.sorted(by: { $0.key.description < $1.key.description }) {
            for hold in held {
                guard let model = entries[hold.taken.id], !model.isGone, model.generation == hold.generation,
                    let first = model.open.first, model.open.count > 1
                else { continue }
                let row = try hold.taken.row(first, .rejected)
                try await store.settle(as: dead, [Settlement(hold.taken.key, rows: [row], fate: .open)])
                record([row])
                return
            }
        }
    }

    private mutating func cancel() async throws {
        let ids = entries.keys.sorted { $0.description < $1.description }.shuffled(using: &random).prefix(3)
        let here = ids.filter { entries[$0]?.isGone == false }
        let report = try await store.cancel(Array(ids))
        let waiting = here.filter { entries[$0]?.canBeCancelled == true }
        let taken = here.filter { !waiting.contains($0) }
        #expect(Set(report.removed) == Set(waiting) && report.removed.count == waiting.count)
        #expect(Set(report.taken) == Set(taken) && report.taken.count == taken.count)
        for id in waiting {
            entries[id]?.isGone = true
            entries[id]?.isCancelled = true
        }
    }

    private mutating func permit(as worker: WorkerID) async throws {
        let wanted = Int.random(in: 0...60, using: &random)
        let permit = try await store.permit(as: worker, tokens: wanted, rate: Self.rate)
        #expect(permit.tokens == min(wanted, Self.rate.burst - permitted))
        permitted += permit.tokens
    }

    // MARK: The model

    func deadWithEntries() -> [WorkerID] {
        let owners = Set(entries.values.filter { !$0.isGone }.compactMap(\.owner))
        return owners.filter { holds[$0] == nil }.sorted { $0.description < $1.description }
    }

    private mutating func believe(_ taken: [TakenEntry], _ worker: WorkerID) {
        for entry in taken {
            guard let model = entries[entry.id] else {
                Issue.record("An entry came that was never put in.")
                continue
            }
            expectAgreement(model, entry)
            holds[worker, default: []].append(ModelHold(taken: entry, generation: model.generation))
        }
    }

    func expectAgreement(_ model: ModelEntry, _ taken: TakenEntry) {
        #expect(taken.offered == model.offered && taken.doubts == model.doubts && taken.settled == model.settled)
        #expect(taken.retries == model.retries)
        #expect((try? taken.entry.get().tokens.count) == model.count)
    }

    /// The share of the ordinary entries is kept at each entry that is taken.
    private mutating func expectLane(of taken: TakenEntry) {
        guard let entry = entries[taken.id] else { return }
        func waits(urgent: Bool) -> Bool {
            entries.values.contains {
                $0.isUrgent == urgent && $0.owner == nil && !$0.isGone && $0.entry.id != entry.entry.id
            }
        }
        let (hasUrgent, hasOrdinary) = (entry.isUrgent || waits(urgent: true), !entry.isUrgent || waits(urgent: false))
        let lane = hasUrgent ? debt.next(hasOrdinary: hasOrdinary) : .ordinary
        #expect((lane == .urgent) == entry.isUrgent, "It is not the turn of its lane.")
        if entry.isUrgent {
            debt.takeUrgent(entry.open.count, whileOrdinaryWaits: waits(urgent: false))
        } else {
            debt.takeOrdinary(entry.open.count, whileUrgentWaits: waits(urgent: true))
        }
    }

    private mutating func touch(_ hold: ModelHold, _ worker: WorkerID) {
        guard let index = holds[worker]?.firstIndex(where: { $0.taken.key == hold.taken.key }) else { return }
        holds[worker]?[index].isTouched = true
    }

    private mutating func rows(of hold: ModelHold, among model: ModelEntry) throws -> [QueueOutcome] {
        let whole = chance(40)
        return try model.open.filter { _ in whole || chance(40) }.map {
            try hold.taken.row($0, chance(5) ? .rejected : .delivered)
        }
    }

    private mutating func record(_ rows: [QueueOutcome]) {
        for row in rows {
            #expect(entries[row.entry]?.settled.contains(row.index) == false)
            entries[row.entry]?.settled.insert(row.index)
        }
        expected += rows
    }
}
