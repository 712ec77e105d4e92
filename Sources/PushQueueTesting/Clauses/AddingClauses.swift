import FoundationEssentials
import PushProtocol
import PushQueue
import SupervisedPush
import Testing

extension QueueStoreClause {
    static let adding = [
        QueueStoreClause("An entry comes back as it was put in.") { stage in
            let store = try await stage.open()
            var entry = try sampleEntry(3)
            entry.notification.topic = "com.example.Shop"
            entry.deadline = stage.now() + 60
            entry.neverRepeats = true
            try await store.enqueue([entry])
            let taken = try await store.takeOne(as: .ann).entry.get()
            #expect(taken.id == entry.id && taken.tokens == entry.tokens && taken.neverRepeats)
            #expect(taken.notification == entry.notification && taken.notBefore == nil)
            let drift = try #require(taken.deadline).timeIntervalSince(try #require(entry.deadline))
            #expect(abs(drift) < 0.001)
        },
        QueueStoreClause("A full queue takes all entries or none.") { stage in
            let store = try await stage.open(maxEntries: 3)
            try await store.enqueue([sampleEntry(), sampleEntry()])
            #expect(await code { try await store.enqueue([sampleEntry(), sampleEntry()]) } == .full)
            #expect(try await store.status().waiting == 2)
            try await store.put()
            #expect(await code { try await store.put() } == .full)
            let first = try #require(try await store.take(as: .ann, tokens: 1).first)
            try await store.settle(as: .ann, [first.settlement()])
            try await store.put()
        },
        QueueStoreClause("Delayed and taken entries fill a queue, too.") { stage in
            let store = try await stage.open(maxEntries: 2)
            try await store.enqueue([sampleEntry(), sampleEntry(1, notBefore: stage.now() + 60)])
            _ = try await store.takeOne(as: .ann)
            #expect(await code { try await store.put() } == .full)
        },
        QueueStoreClause("An id that the queue has already is added again.") { stage in
            let store = try await stage.open()
            let (entry, other) = (try sampleEntry(), try sampleEntry())
            try await store.enqueue([entry])
            try await store.enqueue([other, entry])
            #expect(try await store.take(as: .ann, tokens: 9).map(\.id) == [entry.id, other.id, entry.id])
        },
        QueueStoreClause("A call that is repeated adds nothing, whatever became of its entries.") { stage in
            let store = try await stage.open()
            let call = [try sampleEntry(), try sampleEntry(1, notBefore: stage.now() + 60)]
            for _ in 0..<2 { try await store.enqueue(call) }
            var status = try await store.status()
            #expect(status.waiting == 1 && status.delayed == 1)
            try await store.settle(as: .ann, [store.takeOne(as: .ann).settlement()])
            _ = try await store.cancel([call[1].id])
            try await store.enqueue(call)
            status = try await store.status()
            #expect(status.waiting == 0 && status.delayed == 0)
        },
        QueueStoreClause("A full queue does not refuse a call that is repeated.") { stage in
            let store = try await stage.open(maxEntries: 2)
            let call = [try sampleEntry(), try sampleEntry()]
            for _ in 0..<2 { try await store.enqueue(call) }
            #expect(try await store.status().waiting == 2)
        },
        QueueStoreClause("A call that was refused is made again with the same ids.") { stage in
            let store = try await stage.open(maxEntries: 2)
            try await store.enqueue([sampleEntry(), sampleEntry()])
            let refused = [try sampleEntry()]
            #expect(await code { try await store.enqueue(refused) } == .full)
            let first = try #require(try await store.take(as: .ann, tokens: 1).first)
            try await store.settle(as: .ann, [first.settlement()])
            try await store.enqueue(refused)
            #expect(try await store.take(as: .ann, tokens: 9).last?.id == refused[0].id)
        },
        QueueStoreClause("An entry with too few or too many tokens is refused, and nothing is added.") { stage in
            let store = try await stage.open()
            let good = try sampleEntry()
            for count in [0, 1_001] {
                var bad = try sampleEntry()
                bad.tokens = Array(repeating: bad.tokens[0], count: count)
                #expect(await code { try await store.enqueue([good, bad]) } == .invalidEntry)
            }
            #expect(try await store.status() == QueueStatus())
            // The call that was refused is not remembered.
            try await store.enqueue([good])
            #expect(try await store.takeOne(as: .ann).id == good.id)
        },
        QueueStoreClause("An entry with a time that cannot be read back is refused, and nothing is added.") { stage in
            let store = try await stage.open()
            for seconds in [Double.infinity, -.infinity, .nan, 1e12] {
                let date = Date(timeIntervalSince1970: seconds)
                var (early, late) = (try sampleEntry(), try sampleEntry())
                (early.notBefore, late.deadline) = (date, date)
                for bad in [early, late] {
                    #expect(await code { try await store.enqueue([sampleEntry(), bad]) } == .invalidEntry)
                }
            }
            #expect(try await store.status() == QueueStatus())
        },
        QueueStoreClause("An entry without time for its pushes is refused, and nothing is added.") { stage in
            let store = try await stage.open()
            var bad = try sampleEntry()
            bad.notification.timeout = .zero
            #expect(await code { try await store.enqueue([sampleEntry(), bad]) } == .invalidEntry)
            #expect(try await store.status() == QueueStatus())
        },
        QueueStoreClause("No entries are no error.") { stage in
            let store = try await stage.open()
            try await store.enqueue([])
            try await store.settle(as: .ann, [])
            try await store.release(as: .ann, [])
            try await store.offer(as: .ann, [:])
            #expect(try await store.cancel([]) == Cancellation())
            #expect(try await store.requeue([]).isEmpty)
            #expect(try await store.discard([]).isEmpty)
            #expect(try await store.status() == QueueStatus())
        },
        QueueStoreClause("A delayed entry is taken when its time has come.") { stage in
            let store = try await stage.open()
            try await store.put(1, notBefore: stage.now() + 60)
            #expect(try await store.take(as: .ann, tokens: 9).isEmpty)
            #expect(try await store.status().delayed == 1)
            let entry = try await store.put(1, notBefore: stage.soon)
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            #expect(try await store.status().waiting == 1)
            #expect(try await store.takeOne(as: .ann).id == entry.id)
            #expect(try await store.status().delayed == 1)
        },
        QueueStoreClause("What waits or is delayed can be cancelled; what is taken cannot.") { stage in
            let store = try await stage.open()
            let taken = try await store.put()
            _ = try await store.takeOne(as: .ann)
            let waiting = try await store.put()
            let delayed = try await store.put(1, notBefore: stage.now() + 60)
            let kept = try await store.put()
            let report = try await store.cancel([taken.id, waiting.id, delayed.id, EntryID()])
            #expect(Set(report.removed) == [waiting.id, delayed.id] && report.removed.count == 2)
            #expect(report.taken == [taken.id])
            let status = try await store.status()
            #expect(status.waiting == 1 && status.delayed == 0 && status.taken == 1 && status.outcomes == 0)
            #expect(try await store.takenBy(.ann) == 1)
            #expect(try await store.takeOne(as: .bob).id == kept.id)
            #expect(try await store.cancel([waiting.id]) == Cancellation())
        },
        QueueStoreClause("What is not in the queue any more can be neither cancelled nor is it taken.") { stage in
            let store = try await stage.open()
            let entries = [try await store.put(), try await store.put()]
            let taken = try await store.take(as: .ann, tokens: 2)
            try await store.settle(
                as: .ann,
                [
                    taken[0].settlement(),
                    Settlement(taken[1].key, rows: [taken[1].row(0, .failed)], fate: .dead("poison")),
                ]
            )
            #expect(try await store.cancel(entries.map(\.id)) == Cancellation())
            #expect(try await store.status().dead == 1)
        },
        QueueStoreClause("Of two entries with one id, one can be cancelled while the other is taken.") { stage in
            let store = try await stage.open()
            let entry = try await store.put()
            _ = try await store.takeOne(as: .ann)
            try await store.enqueue([sampleEntry(), entry])
            #expect(try await store.cancel([entry.id]) == Cancellation(removed: [entry.id], taken: [entry.id]))
            #expect(try await store.takenBy(.ann) == 1)
            #expect(try await store.status().waiting == 1)
        },
        QueueStoreClause("What was delayed and is taken cannot be cancelled.") { stage in
            let store = try await stage.open()
            for _ in 0..<2 { try await store.put(1, notBefore: stage.soon) }
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            let taken = try #require(try await store.take(as: .ann, tokens: 1).first)
            #expect(try await store.cancel([taken.id]) == Cancellation(taken: [taken.id]))
            try await store.settle(as: .ann, [taken.settlement()])
            #expect(try await store.allOutcomes().count == 1)
            #expect(try await store.status().waiting == 1)
        },
        QueueStoreClause("What a dead worker may have sent cannot be cancelled, also if it was given back.") { stage in
            let store = try await stage.open()
            let (small, large) = (try await store.put(2), try await store.put(large))
            let taken = try await store.take(as: .ann, tokens: 1_000)
            let key = try #require(taken.last?.key)
            try await store.offer(as: .ann, [key: 256])
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            try await store.release(as: .bob, over.map(\.key))
            let report = try await store.cancel([small.id, large.id])
            #expect(report.removed.isEmpty && Set(report.taken) == [small.id, large.id] && report.taken.count == 2)
            #expect(try await store.take(as: .eve, tokens: 1_000).map(\.doubts) == [1, 1])
        },
        QueueStoreClause("What a dead worker had taken and not offered can be cancelled when it was given back.") {
            stage in
            let store = try await stage.open()
            let entry = try await store.put(large)
            _ = try await store.takeOne(as: .ann)
            let over = try await store.reclaimAll(from: .ann, as: .bob)
            try await store.release(as: .bob, over.map(\.key))
            #expect(try await store.cancel([entry.id]) == Cancellation(removed: [entry.id]))
        },
        QueueStoreClause("What was released can be cancelled.") { stage in
            let store = try await stage.open()
            let entry = try await store.put()
            try await store.release(as: .ann, [store.takeOne(as: .ann).key])
            #expect(try await store.cancel([entry.id]) == Cancellation(removed: [entry.id]))
            #expect(try await store.take(as: .ann, tokens: 9).isEmpty)
        },
    ]
}
