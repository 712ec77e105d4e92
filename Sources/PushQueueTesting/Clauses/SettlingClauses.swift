import FoundationEssentials
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    static let settling = [
        QueueStoreClause("A settled entry is gone, and its outcomes are stored once.") { stage in
            let store = try await stage.open()
            try await store.put(3)
            let taken = try await store.takeOne(as: .ann)
            let settlement = try taken.settlement()
            try await store.settle(as: .ann, [settlement])
            #expect(try await store.allOutcomes() == settlement.rows)
            try await store.settle(as: .ann, [settlement])
            #expect(try await store.allOutcomes() == settlement.rows)
            let status = try await store.status()
            #expect(status.outcomes == 3 && status.taken == 0 && status.waiting == 0)
            #expect(try await store.recover(as: .ann, besides: []).isEmpty)
        },
        QueueStoreClause("Only tokens without an outcome get one.") { stage in
            let store = try await stage.open()
            try await store.put(3)
            let taken = try await store.takeOne(as: .ann)
            let first = try taken.row(1)
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [first], fate: .open)])
            try await store.settle(
                as: .ann, [Settlement(taken.key, rows: [taken.row(1, .rejected), taken.row(0)], fate: .open)])
            // Also within one settlement, and between two of one call.
            let last = try taken.row(2)
            try await store.settle(
                as: .ann,
                [
                    Settlement(taken.key, rows: [last, taken.row(2, .failed)], fate: .open),
                    Settlement(taken.key, rows: [taken.row(2, .unknown)], fate: .done),
                ])
            #expect(try await store.allOutcomes() == [first, taken.row(0), last])
        },
        QueueStoreClause("Many entries are settled at once, and the queue is empty.") { stage in
            let store = try await stage.open()
            try await store.enqueue((0..<300).map { _ in try sampleEntry(2) })
            let taken = try await store.take(as: .ann, tokens: 600)
            #expect(taken.count == 300)
            try await store.settle(as: .ann, taken.map { try $0.settlement() })
            let outcomes = try await store.allOutcomes()
            #expect(outcomes.count == 600)
            #expect(outcomes.map(\.entry) == taken.flatMap { [$0.id, $0.id] })
            #expect(try await store.takenBy(.ann) == 0)
        },
        QueueStoreClause("Entries are settled in any order, whole and in parts, once.") {
            stage in
            let store = try await stage.open()
            try await store.enqueue((0..<8).map { _ in try sampleEntry(3) })
            let taken = try await store.take(as: .ann, tokens: 24)
            let part = try taken[5].row(1)
            try await store.settle(as: .ann, [Settlement(taken[5].key, rows: [part], fate: .open)])
            func whole(_ index: Int, _ rows: [Int]) throws -> Settlement {
                try Settlement(taken[index].key, rows: rows.map { try taken[index].row($0) }, fate: .done)
            }
            let settlements = [
                try whole(6, [2, 0, 1]), try whole(4, [0, 1, 2]), try whole(5, [0, 1, 2]), try whole(2, [1, 0, 2]),
                // Some rows and entries are reported twice.
                try whole(1, [0, 0, 1, 2]), try whole(4, [0, 1, 2]),
                Settlement(taken[7].key, rows: [try taken[7].row(0), try taken[7].row(2)], fate: .open),
            ]
            // A worker that has none of them ends those that are whole.
            try await store.settle(as: .ann, settlements)
            try await store.settle(as: .bob, [whole(0, [2, 1, 0])])
            try await store.settle(as: .ann, settlements)
            let left = try await store.recover(as: .ann, besides: []).sorted { $0.key.description < $1.key.description }
            #expect(
                left.map(\.id) == [taken[3].id, taken[7].id] && left.map(\.settled) == [TokenSet(), TokenSet([0, 2])])
            let outcomes = try await store.allOutcomes()
            let expected: [(Int, [Int])] = [
                (5, [1]), (6, [2, 0, 1]), (4, [0, 1, 2]), (5, [0, 2]), (2, [1, 0, 2]), (1, [0, 1, 2]), (7, [0, 2]),
                (0, [2, 1, 0]),
            ]
            #expect(outcomes == (try expected.flatMap { index, rows in try rows.map { try taken[index].row($0) } }))
            try await store.settle(as: .ann, [taken[3].settlement(), whole(7, [1])])
            let status = try await store.status()
            #expect(status.outcomes == 24 && status.taken == 0 && status.waiting == 0)
        },
        QueueStoreClause("An answer counts although the entry was taken over, and once.") { stage in
            let store = try await stage.open()
            try await store.put(2)
            let taken = try await store.takeOne(as: .ann)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            let late = try taken.row(0)
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [late], fate: .open)])
            #expect(try await store.takenBy(.bob) == 1)
            try await store.settle(as: .bob, [over.settlement(.unknown)])
            #expect(try await store.allOutcomes() == [late, over.row(1, .unknown)])
            try await store.settle(as: .ann, [taken.settlement()])
            #expect(try await store.allOutcomes().count == 2)
            #expect(try await store.takenBy(.bob) == 0)
        },
        QueueStoreClause("The last answer ends an entry although it was taken over.") { stage in
            let store = try await stage.open()
            try await store.put()
            let taken = try await store.takeOne(as: .ann)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            try await store.settle(as: .ann, [taken.settlement()])
            try await store.settle(as: .bob, [over.settlement(.unknown)])
            #expect(try await store.allOutcomes() == [taken.row(0)])
            #expect(try await store.takenBy(.bob) == 0)
            #expect(try await store.take(as: .eve, tokens: 9).isEmpty)
        },
        QueueStoreClause("A worker that died does not give away what another has.") { stage in
            let store = try await stage.open()
            try await store.put(2)
            let taken = try await store.takeOne(as: .ann)
            _ = try await store.reclaimAll(from: .ann, as: .bob)
            try await store.settle(
                as: .ann, [Settlement(taken.key, rows: [], fate: .again(notBefore: stage.now() - 1))])
            try await store.release(as: .ann, [taken.key])
            #expect(try await store.takenBy(.bob) == 1)
            #expect(try await store.take(as: .eve, tokens: 9).isEmpty)
        },
    ]

    static let fates = [
        QueueStoreClause("An entry that stays open stays taken, and keeps its outcomes.") { stage in
            let store = try await stage.open()
            try await store.put(3)
            let taken = try await store.takeOne(as: .ann)
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [taken.row(2)], fate: .open)])
            #expect(try await store.takenBy(.ann) == 1)
            let found = try #require(try await store.recover(as: .ann, besides: []).first)
            #expect(found.settled == TokenSet([2]) && found.key == taken.key)
            try await store.release(as: .ann, [taken.key])
            #expect(try await store.takeOne(as: .bob).settled == TokenSet([2]))
        },
        QueueStoreClause("An entry to be pushed again waits for its time, and is not in doubt.") { stage in
            let store = try await stage.open()
            func pushAgain(notBefore: Date) async throws -> [QueueOutcome] {
                let taken = try await store.takeOne(as: .ann)
                try await store.offer(as: .ann, [taken.key: large])
                let settlement = Settlement(taken.key, rows: [try taken.row(7)], fate: .again(notBefore: notBefore))
                try await store.settle(as: .ann, [settlement])
                try await store.settle(as: .ann, [settlement])
                return settlement.rows
            }
            try await store.put(large)
            var rows = try await pushAgain(notBefore: stage.now() + 60)
            #expect(try await store.takenBy(.ann) == 0)
            #expect(try await store.status().delayed == 1)
            #expect(try await store.take(as: .bob, tokens: 9).isEmpty)
            let entry = try await store.put(large)
            rows += try await pushAgain(notBefore: stage.soon)
            try await stage.passDelay()
            _ = try await store.beat(as: .bob)
            let again = try await store.takeOne(as: .bob)
            #expect(again.id == entry.id && again.settled == TokenSet([7]) && again.doubts == 0)
            #expect(again.offered == 0, "Those that were offered ended: none is in doubt.")
            #expect(try await store.allOutcomes() == rows)
        },
        QueueStoreClause("An entry to be pushed again has no doubts any more: all that was sent was answered.") {
            stage in
            let store = try await stage.open()
            try await store.put(2)
            _ = try await store.takeOne(as: .ann)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            #expect(over.doubts == 1 && over.offered == 2)
            try await store.settle(
                as: .bob, [Settlement(over.key, rows: [over.row(0)], fate: .again(notBefore: stage.now() - 1))])
            _ = try await store.beat(as: .bob)
            let again = try await store.takeOne(as: .eve)
            #expect(again.doubts == 0 && again.offered == 0 && again.settled == TokenSet([0]))
        },
        QueueStoreClause("How often an entry was postponed is stored, and told to everyone who gets it.") { stage in
            let store = try await stage.open()
            try await store.put(2)
            let fresh = try await store.takeOne(as: .ann)
            #expect(fresh.retries == 0)
            try await store.settle(
                as: .ann, [Settlement(fresh.key, rows: [], fate: .again(notBefore: stage.now() - 1, retries: 3))])
            _ = try await store.beat(as: .ann)
            let taken = try await store.takeOne(as: .ann)
            #expect(taken.retries == 3)
            #expect(try await store.recover(as: .ann, besides: []).map(\.retries) == [3])
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            #expect(over.map(\.retries) == [3])
            try await store.release(as: .bob, over.map(\.key))
            let last = try await store.takeOne(as: .eve)
            #expect(last.retries == 3)
            // Whoever lost the entry does not change it.
            try await store.settle(
                as: .bob, [Settlement(last.key, rows: [], fate: .again(notBefore: stage.now() - 1, retries: 9))])
            #expect(try await store.recover(as: .eve, besides: []).map(\.retries) == [3])
        },
        QueueStoreClause("A dead entry is kept with its reason, and is not taken.") { stage in
            let store = try await stage.open()
            let entry = try await store.put(2)
            let taken = try await store.takeOne(as: .ann)
            let settlement = Settlement(
                taken.key, rows: try [taken.row(0, .unknown), taken.row(1, .failed)], fate: .dead("poison"))
            try await store.settle(as: .ann, [settlement])
            try await store.settle(as: .ann, [settlement])
            let letters = try await store.deadLetters(limit: 10)
            #expect(letters.map(\.reason) == ["poison"])
            #expect(try letters.first?.entry.get().id == entry.id)
            #expect(try await store.allOutcomes() == settlement.rows)
            let status = try await store.status()
            #expect(status.dead == 1 && status.waiting == 0 && status.taken == 0)
            #expect(try await store.take(as: .bob, tokens: 9).isEmpty)
            #expect(try await store.cancel([entry.id]) == Cancellation())
        },
    ]
}
