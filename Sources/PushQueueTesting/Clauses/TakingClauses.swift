import FoundationEssentials
import PushLocking
import PushQueue
import Testing

extension QueueStoreClause {
    static let taking = [
        QueueStoreClause("The oldest entries are taken first, each by one worker.") { stage in
            let store = try await stage.open()
            let ids = try await (0..<6).asyncMap { _ in try await store.put().id }
            let first = try await store.take(as: .ann, tokens: 3)
            #expect(first.map(\.id) == Array(ids[..<3]))
            #expect(first.allSatisfy { $0.offered == 0 && $0.settled.isEmpty && $0.doubts == 0 })
            #expect(try await store.take(as: .bob, tokens: 9).map(\.id) == Array(ids[3...]))
            #expect(try await store.take(as: .ann, tokens: 9).isEmpty)
        },
        QueueStoreClause("Entries are taken as long as their tokens fit.") { stage in
            let store = try await stage.open()
            for count in [3, 4, 5, 1] { try await store.put(count) }
            let counts = try await store.take(as: .ann, tokens: 8).map { try $0.entry.get().tokens.count }
            #expect(counts == [3, 4])
            // The third does not fit, and is not passed over.
            #expect(try await store.take(as: .ann, tokens: 5).map { try $0.entry.get().tokens.count } == [5])
        },
        QueueStoreClause("One entry is taken although it has more tokens than there is room for.") { stage in
            let store = try await stage.open()
            try await store.enqueue([sampleEntry(large), sampleEntry()])
            let taken = try await store.take(as: .ann, tokens: 1)
            #expect(try taken.map { try $0.entry.get().tokens.count } == [large])
        },
        QueueStoreClause("What was released is taken first, and is not in doubt.") { stage in
            let store = try await stage.open()
            let ids = try await (0..<4).asyncMap { _ in try await store.put().id }
            let taken = try await store.take(as: .ann, tokens: 2)
            try await store.release(as: .ann, [taken[1].key])
            #expect(try await store.takenBy(.ann) == 1)
            let next = try await store.take(as: .bob, tokens: 2)
            #expect(next.map(\.id) == [ids[1], ids[2]])
            #expect(next[0].doubts == 0 && next[0].offered == 0)
        },
        QueueStoreClause("What was delayed is taken once, also while more of it is due.") { stage in
            let store = try await stage.open()
            let ids = try await (0..<5).asyncMap { _ in try await store.put(1, notBefore: stage.soon).id }
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            var taken: [EntryID] = []
            for worker in [WorkerID.ann, .bob] { taken += try await store.take(as: worker, tokens: 1).map(\.id) }
            for worker in [WorkerID.ann, .bob, .ann] {
                taken += try await store.take(as: worker, tokens: 512).map(\.id)
            }
            #expect(taken.count == 5 && Set(taken) == Set(ids))
            #expect(try await store.status().waiting == 0)
        },
        QueueStoreClause("What was delayed and is a dead letter is not taken.") { stage in
            let store = try await stage.open()
            for _ in 0..<2 { try await store.put(1, notBefore: stage.soon) }
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            let first = try #require(try await store.take(as: .ann, tokens: 1).first)
            try await store.settle(
                as: .ann, [Settlement(first.key, rows: [first.row(0)], fate: .dead("It is too old."))])
            #expect(try await store.cancel([first.id]) == Cancellation())
            #expect(try await store.takeOne(as: .bob).id != first.id)
            #expect(try await store.take(as: .bob, tokens: 512).isEmpty)
            #expect(try await store.deadLetters(limit: 9).map { try $0.entry.get().id } == [first.id])
        },
        QueueStoreClause("What another worker has is not released, nor what was released already.") { stage in
            let store = try await stage.open()
            try await store.put()
            let taken = try await store.takeOne(as: .ann)
            try await store.release(as: .bob, [taken.key])
            #expect(try await store.takenBy(.ann) == 1)
            try await store.release(as: .ann, [taken.key])
            try await store.release(as: .ann, [taken.key])
            #expect(try await store.status().waiting == 1)
            _ = try await store.takeOne(as: .bob)
            try await store.release(as: .ann, [taken.key])
            #expect(try await store.takenBy(.bob) == 1)
        },
        QueueStoreClause("A release takes back the slices that were offered meanwhile.") { stage in
            let store = try await stage.open()
            try await store.put(large)
            let taken = try await store.takeOne(as: .ann)
            try await store.offer(as: .ann, [taken.key: 256])
            try await store.release(as: .ann, [taken.key])
            #expect(try await store.takeOne(as: .bob).offered == 0)
        },
        QueueStoreClause("A worker recovers what a lost reply assigned to it, without what is known.") { stage in
            let store = try await stage.open()
            for _ in 0..<3 { try await store.put() }
            let known = try await store.take(as: .ann, tokens: 1)
            let lost = try await store.take(as: .ann, tokens: 2)
            let found = try await store.recover(as: .ann, besides: Set(known.map(\.key)))
            #expect(Set(found.map(\.id)) == Set(lost.map(\.id)) && Set(found.map(\.key)) == Set(lost.map(\.key)))
            #expect(found.allSatisfy { $0.offered == 0 && $0.doubts == 0 && $0.settled.isEmpty })
            #expect(try await store.recover(as: .ann, besides: Set((known + lost).map(\.key))).isEmpty)
            #expect(try await store.recover(as: .bob, besides: []).isEmpty)
        },
        QueueStoreClause("A wait ends when an entry comes.") { stage in
            let store = try await stage.open()
            let start = ContinuousClock.now
            async let waited: Void = store.wait(as: .ann, upTo: .seconds(60))
            try await store.put()
            try await waited
            #expect(ContinuousClock.now - start < .seconds(30))
            // There is something already: it does not wait at all.
            try await store.wait(as: .ann, upTo: .seconds(60))
            #expect(ContinuousClock.now - start < .seconds(30))
        },
        QueueStoreClause("A wait ends after its time.") { stage in
            let store = try await stage.open()
            let isOver = Locked(false)
            let waits = Task {
                defer { isOver.withLock { $0 = true } }
                try await store.wait(as: .ann, upTo: .milliseconds(50))
            }
            let start = ContinuousClock.now
            while !isOver.withLock({ $0 }), ContinuousClock.now - start < .seconds(60) {
                try await stage.pass(.milliseconds(50))
                // A clock of the test moves at once; the waiting task needs a moment of this machine.
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(isOver.withLock { $0 })
            try await waits.value
        },
    ]
}

extension Sequence {
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
