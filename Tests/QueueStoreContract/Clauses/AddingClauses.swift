import Foundation
import PushProtocol
import PushQueue
import Testing

extension ContractClause {
    static let adding = [
        ContractClause("An entry comes back as it was put in.") { stage in
            let store = try await stage.open()
            var entry = try sampleEntry(3)
            entry.notification.topic = "com.example.Shop"
            entry.deadline = stage.now() + 60
            entry.once = true
            try await store.enqueue([entry])
            let taken = try await store.takeOne(as: .ann).entry.get()
            #expect(taken.id == entry.id && taken.tokens == entry.tokens && taken.once)
            #expect(taken.notification == entry.notification && taken.notBefore == nil)
            let drift = try #require(taken.deadline).timeIntervalSince(try #require(entry.deadline))
            #expect(abs(drift) < 0.001)
        },
        ContractClause("A full queue takes all entries or none.") { stage in
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
        ContractClause("Delayed and taken entries fill a queue, too.") { stage in
            let store = try await stage.open(maxEntries: 2)
            try await store.enqueue([sampleEntry(), sampleEntry(1, notBefore: stage.now() + 60)])
            _ = try await store.takeOne(as: .ann)
            #expect(await code { try await store.put() } == .full)
        },
        ContractClause("An id that the queue has already is added again.") { stage in
            let store = try await stage.open()
            let entry = try sampleEntry()
            try await store.enqueue([entry])
            try await store.enqueue([entry])
            #expect(try await store.take(as: .ann, tokens: 9).map(\.id) == [entry.id, entry.id])
        },
        ContractClause("No entries are no error.") { stage in
            let store = try await stage.open()
            try await store.enqueue([])
            try await store.settle(as: .ann, [])
            try await store.release(as: .ann, [])
            try await store.offer(as: .ann, [:])
            #expect(try await store.cancel([]).isEmpty)
            #expect(try await store.requeue([]).isEmpty)
            #expect(try await store.status() == QueueStatus())
        },
        ContractClause("A delayed entry is taken when its time has come.") { stage in
            let store = try await stage.open()
            let entry = try await store.put(1, notBefore: stage.soon)
            #expect(try await store.take(as: .ann, tokens: 9).isEmpty)
            #expect(try await store.status().delayed == 1)
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            #expect(try await store.status().waiting == 1)
            #expect(try await store.takeOne(as: .ann).id == entry.id)
            #expect(try await store.status().delayed == 0)
        },
        ContractClause("What waits or is delayed can be cancelled; what is taken cannot.") { stage in
            let store = try await stage.open()
            let taken = try await store.put()
            _ = try await store.takeOne(as: .ann)
            let waiting = try await store.put()
            let delayed = try await store.put(1, notBefore: stage.now() + 60)
            let kept = try await store.put()
            let gone = try await store.cancel([taken.id, waiting.id, delayed.id, EntryID()])
            #expect(Set(gone) == [waiting.id, delayed.id])
            let status = try await store.status()
            #expect(status.waiting == 1 && status.delayed == 0 && status.taken == [.ann: 1] && status.outcomes == 0)
            #expect(try await store.takeOne(as: .bob).id == kept.id)
            #expect(try await store.cancel([waiting.id]).isEmpty)
        },
        ContractClause("What was delayed and is taken cannot be cancelled.") { stage in
            let store = try await stage.open()
            for _ in 0..<2 { try await store.put(1, notBefore: stage.soon) }
            try await stage.passDelay()
            _ = try await store.beat(as: .ann)
            let taken = try #require(try await store.take(as: .ann, tokens: 1).first)
            #expect(try await store.cancel([taken.id]).isEmpty)
            try await store.settle(as: .ann, [taken.settlement()])
            #expect(try await store.allOutcomes().count == 1)
            #expect(try await store.status().waiting == 1)
        },
        ContractClause("What was released can be cancelled.") { stage in
            let store = try await stage.open()
            let entry = try await store.put()
            try await store.release(as: .ann, [store.takeOne(as: .ann).key])
            #expect(try await store.cancel([entry.id]) == [entry.id])
            #expect(try await store.take(as: .ann, tokens: 9).isEmpty)
        },
    ]
}
