import FoundationEssentials
import PushQueue
import Testing

extension QueueStoreClause {
    static let progress = [
        QueueStoreClause("What is offered is stored for the worker that takes over.") { stage in
            let store = try await stage.open()
            try await store.put(large)
            let taken = try await store.takeOne(as: .ann)
            try await store.offer(as: .ann, [taken.key: 256])
            try await store.offer(as: .ann, [taken.key: 512])
            try await store.offer(as: .ann, [taken.key: 512])
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            #expect(over.offered == 512 && over.doubts == 1)
        },
        QueueStoreClause("A worker that lost an entry is fenced, and nothing is stored.") { stage in
            let store = try await stage.open()
            try await store.enqueue([sampleEntry(large), sampleEntry(large)])
            let lost = try await store.takeOne(as: .ann)
            _ = try await store.reclaimAll(from: .ann, as: .bob)
            let kept = try await store.takeOne(as: .ann)
            #expect(
                await code { try await store.offer(as: .ann, [lost.key: 256, kept.key: 256]) } == .fenced)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            #expect(over.id == kept.id && over.offered == 0 && over.doubts == 0)
        },
        QueueStoreClause("An entry that was settled or released is fenced, too.") { stage in
            let store = try await stage.open()
            try await store.enqueue([sampleEntry(), sampleEntry(large)])
            let taken = try await store.take(as: .ann, tokens: 1 + large)
            try await store.settle(as: .ann, [taken[0].settlement()])
            try await store.release(as: .ann, [taken[1].key])
            for entry in taken {
                #expect(await code { try await store.offer(as: .ann, [entry.key: 1]) } == .fenced)
            }
        },
    ]

    static let takeover = [
        QueueStoreClause("A small entry that was taken counts as offered as a whole.") { stage in
            let store = try await stage.open()
            try await store.enqueue([sampleEntry(), sampleEntry(256), sampleEntry(257)])
            _ = try await store.take(as: .ann, tokens: 1_000)
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            let found = try over.map { [try $0.entry.get().tokens.count, $0.offered, $0.doubts] }
            #expect(Set(found) == [[1, 1, 1], [256, 256, 1], [257, 0, 0]])
        },
        QueueStoreClause("What was released before its worker died is not in doubt.") { stage in
            let store = try await stage.open()
            try await store.put(2)
            let taken = try await store.takeOne(as: .ann)
            try await store.release(as: .ann, [taken.key])
            #expect(try await store.reclaimAll(from: .ann, as: .bob).isEmpty)
            let fresh = try await store.takeOne(as: .bob)
            #expect(fresh.doubts == 0 && fresh.offered == 0)
        },
        QueueStoreClause("A doubt stays with an entry that is released, and grows with the next death.") { stage in
            let store = try await stage.open()
            try await store.put(2)
            _ = try await store.takeOne(as: .ann)
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            try await store.release(as: .bob, [over.key])
            let again = try await store.takeOne(as: .eve)
            #expect(again.doubts == 1 && again.offered == 2)
            #expect(try await store.reclaimAll(from: .eve, as: .bob).map(\.doubts) == [2])
        },
        QueueStoreClause("Settled tokens stay settled when an entry is taken over.") { stage in
            let store = try await stage.open()
            try await store.put(5)
            let taken = try await store.takeOne(as: .ann)
            try await store.settle(as: .ann, [Settlement(taken.key, rows: [taken.row(3)], fate: .open)])
            let over = try #require(try await store.reclaimAll(from: .ann, as: .bob).first)
            #expect(over.settled == TokenSet([3]) && over.offered == 5)
        },
        QueueStoreClause("A worker whose counter has moved is not taken over.") { stage in
            let store = try await stage.open()
            try await store.put()
            let counter = try await store.counter(.ann)
            _ = try await store.takeOne(as: .ann)
            _ = try await store.beat(as: .ann)
            #expect(try await store.reclaim(from: .ann, at: counter, as: .bob, limit: 9).isEmpty)
            #expect(try await store.takenBy(.ann) == 1)
            #expect(try await store.reclaim(from: .ann, at: counter + 1, as: .bob, limit: 9).count == 1)
        },
        QueueStoreClause("Entries are taken over in pages, each once, and the dead worker is forgotten.") { stage in
            let store = try await stage.open()
            let ids = try await (0..<25).asyncMap { _ in try await store.put().id }
            let counter = try await store.counter(.ann)
            _ = try await store.take(as: .ann, tokens: 25)
            var found: [EntryID] = []
            for size in [10, 10, 5, 0] {
                let page = try await store.reclaim(from: .ann, at: counter, as: .bob, limit: 10)
                #expect(page.count == size)
                found += page.map(\.id)
            }
            #expect(found.count == 25 && Set(found) == Set(ids))
            #expect(try await store.takenBy(.bob) == 25)
            #expect(try await store.beat(as: .bob).keys.contains(.ann) == false)
            #expect(try await store.reclaim(from: .ann, at: counter, as: .bob, limit: 10).isEmpty)
        },
        QueueStoreClause("What was taken over and not heard of is recovered with its doubt.") { stage in
            let store = try await stage.open()
            try await store.put(2)
            _ = try await store.takeOne(as: .ann)
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            let found = try await store.recover(as: .bob, besides: [])
            #expect(found.map(\.id) == over.map(\.id))
            #expect(found.map(\.doubts) == [1] && found.map(\.offered) == [2])
        },
        QueueStoreClause("An unknown worker has nothing to take over.") { stage in
            let store = try await stage.open()
            #expect(try await store.reclaim(from: WorkerID("none"), at: 0, as: .bob, limit: 9).isEmpty)
        },
    ]

    static let beats = [
        QueueStoreClause("A beat raises the worker's counter, and shows all counters.") { stage in
            let store = try await stage.open()
            let first = try await store.counter(.ann)
            #expect(try await store.counter(.ann) == first + 1)
            let all = try await store.beat(as: .bob)
            #expect(all[.ann] == first + 1 && all[.bob] != nil)
        },
        QueueStoreClause("A worker that took something and never beat is seen.") { stage in
            let store = try await stage.open()
            try await store.put()
            _ = try await store.takeOne(as: .ann)
            #expect(try await store.beat(as: .bob).keys.contains(.ann))
            #expect(try await store.reclaimAll(from: .ann, as: .bob).count == 1)
        },
        QueueStoreClause("A worker leaves only when it has nothing.") { stage in
            let store = try await stage.open()
            try await store.put()
            _ = try await store.beat(as: .ann)
            let taken = try await store.takeOne(as: .ann)
            try await store.leave(as: .ann)
            #expect(try await store.takenBy(.ann) == 1)
            #expect(try await store.beat(as: .bob).keys.contains(.ann))
            try await store.settle(as: .ann, [taken.settlement()])
            try await store.leave(as: .ann)
            try await store.leave(as: .ann)
            #expect(try await store.beat(as: .bob).keys.contains(.ann) == false)
        },
    ]
}
