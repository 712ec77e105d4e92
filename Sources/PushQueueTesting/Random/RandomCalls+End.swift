import PushQueue
import Testing

extension RandomCalls {
    /// Lets every worker but a last one stop, which then pushes all that is left.
    mutating func finish() async throws {
        let last = WorkerID("last")
        try await store.open(as: last)
        let stopped = Set(entries.values.filter { !$0.isGone }.compactMap(\.owner))
        for worker in stopped.sorted(by: { $0.description < $1.description }) {
            for entry in try await store.reclaimAll(from: worker, as: last, limit: 7) {
                entries[entry.id]?.reclaim(as: last)
                try await end(entry, last)
            }
        }
        _ = try await store.beat(as: last)
        while true {
            let taken = try await store.take(as: last, tokens: 500)
            if taken.isEmpty { break }
            for entry in taken { try await end(entry, last) }
        }
        try await judge()
    }

    private mutating func end(_ taken: TakenEntry, _ worker: WorkerID) async throws {
        let model = try #require(entries[taken.id])
        expectAgreement(model, taken)
        let rows = try model.open.map { try taken.row($0) }
        try await store.settle(as: worker, [Settlement(taken.key, rows: rows, fate: .done)])
        for row in rows { entries[row.entry]?.settled.insert(row.index) }
        expected += rows
        entries[taken.id]?.isGone = true
    }

    private func judge() async throws {
        let outcomes = try await store.allOutcomes()
        #expect(outcomes.count == expected.count)
        let (missing, extra) = (Set(expected).subtracting(outcomes).count, Set(outcomes).subtracting(expected).count)
        #expect(missing == 0 && extra == 0)
        let isInOrder = outcomes == expected
        #expect(isInOrder, "The outcomes are in another order than they were told.")
        let lost = entries.values.count { !$0.isGone }
        let open = entries.values.count { !$0.isCancelled && !$0.open.isEmpty }
        #expect(lost == 0 && open == 0)
        let status = try await store.status()
        #expect(status.waiting == 0 && status.delayed == 0 && status.taken == 0)
        #expect(status.outcomes == expected.count)
    }
}
