import Foundation
import PushQueue
import PushQueueRedis
import Testing

extension StoreLives {
    /// Tells outcomes of some tokens that were sent, of all of them at times, and what becomes of the entry.
    mutating func answer(_ worker: WorkerID, _ key: TakenEntry.Key) async throws {
        guard var hold = holds[worker]?[key] else { return }
        let everything = number(0..<3) > 0
        var rows: [QueueOutcome] = []
        for row in try hold.taken.rows() where hold.sent.contains(row.index) && !hold.settled.contains(row.index) {
            guard everything || number(0..<2) == 0 else { continue }
            rows.append(row)
            hold.settled.insert(row.index)
        }
        let isDone = hold.settled.count == hold.tokens
        // What was sent has ended; the rest, and what was in doubt before, is to be pushed again.
        let isAgain = !isDone && everything && number(0..<3) == 0
        guard isDone || isAgain || !rows.isEmpty else { return }
        holds[worker]?[key] = isDone || isAgain ? nil : hold
        for row in rows { stories[hold.id]?.told.insert(row.index) }
        if isAgain {
            stories[hold.id]?.doubtful = TokenSet()
            moved.insert(key)
        }
        let fate = isDone ? Settlement.Fate.done : isAgain ? .again(notBefore: Date(timeIntervalSinceNow: -1)) : .open
        unsettled.append((worker, Settlement(key, rows: rows, fate: fate)))
        try await settle()
    }

    /// Brings what was not acknowledged, in its order, and at times what was.
    mutating func settle() async throws {
        while let (worker, settlement) = unsettled.first {
            guard
                try await reaches({ () throws(QueueError) in try await queue.settle(as: worker, [settlement]) })
            else { return }
            unsettled.removeFirst()
            acknowledged.append((worker, settlement))
            guard let id = settlement.rows.first?.entry else { continue }
            if case .again = settlement.fate {} else if moved.contains(settlement.key) { continue }
            for row in settlement.rows { stories[id]?.recorded.insert(row.index) }
        }
        if number(0..<5) == 0, let (worker, settlement) = acknowledged.randomElement(using: &random) {
            _ = try await reaches { () throws(QueueError) in try await queue.settle(as: worker, [settlement]) }
        }
    }

    /// Gives entries back of which this worker has sent nothing.
    mutating func release(_ worker: WorkerID) async throws {
        let keys = (holds[worker] ?? [:]).filter { $0.value.sent.isEmpty && $0.value.settled == $0.value.taken.settled }
            .keys.sorted { $0.description < $1.description }
        guard let key = keys.first else { return }
        holds[worker]?[key] = nil
        releasing[worker, default: []].append(key)
        _ = try await finishReleases(worker)
    }

    /// A worker stops without a word. What it had sent and not told is in doubt.
    mutating func stop(_ worker: WorkerID) {
        for hold in (holds[worker] ?? [:]).values {
            for index in 0..<hold.tokens where hold.sent.contains(index) && !hold.settled.contains(index) {
                stories[hold.id]?.doubtful.insert(index)
            }
        }
        // What it told and nobody acknowledged may arrive later, or never.
        for (_, settlement) in unsettled.filter({ $0.0 == worker }) {
            for row in settlement.rows { stories[row.entry]?.doubtful.insert(row.index) }
        }
        if number(0..<2) == 0 { unsettled.removeAll { $0.0 == worker } }
        holds[worker] = nil
        mustRecover.remove(worker)
        releasing[worker] = nil
        dead.append(worker)
        begin()
    }

    mutating func reclaim(_ worker: WorkerID) async throws {
        guard !dead.isEmpty, !mustRecover.contains(worker) else { return }
        let one = dead[number(0..<dead.count)]
        var counters: [WorkerID: UInt64] = [:]
        guard try await reaches({ () throws(QueueError) in counters = try await queue.beat(as: worker) }) else {
            return
        }
        var taken: [TakenEntry] = []
        let limit = number(1..<4)
        let found = try await reaches { () throws(QueueError) in
            taken = try await queue.reclaim(from: one, at: counters[one] ?? 0, as: worker, limit: limit)
        }
        if !found { mustRecover.insert(worker) }
        for entry in taken { try receive(entry, as: worker) }
    }

    mutating func cancel() async throws {
        let ids = stories.keys.sorted { $0.description < $1.description }
        guard let id = ids.randomElement(using: &random) else { return }
        let held = holds.values.contains { $0.values.contains { $0.id == id } }
        var gone: [EntryID] = []
        let told = try await reaches { () throws(QueueError) in gone = try await queue.cancel([id]).removed }
        #expect(!held || gone.isEmpty, "What a worker has goes out.")
        if !told { mayBeCancelled.insert(id) } else if !gone.isEmpty { cancelled.insert(id) }
    }
}
