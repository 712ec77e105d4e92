import FoundationEssentials
import PushQueue
import Testing

extension QueueStoreClause {
    /// What the status tells of a queue and its workers.
    static let standing = [
        QueueStoreClause("The status counts what is where.") { stage in
            let store = try await stage.open()
            #expect(try await store.status() == QueueStatus())
            let before = stage.now()
            for _ in 0..<5 { try await store.put() }
            try await store.put(1, notBefore: stage.now() + 60)
            let taken = try await store.take(as: .ann, tokens: 2)
            _ = try await store.take(as: .bob, tokens: 1)
            try await store.settle(as: .ann, [taken[0].settlement()])
            var status = try await store.status()
            let oldest = try #require(status.oldest)
            #expect(oldest > before - 1 && oldest <= stage.now() + 1)
            status.oldest = nil
            #expect(status.workers.mapValues(\.taken).filter { $0.value > 0 } == [.ann: 1, .bob: 1])
            status.workers = [:]
            var expected = QueueStatus()
            (expected.waiting, expected.delayed, expected.outcomes) = (2, 1, 1)
            #expect(status == expected)
        },
        QueueStoreClause("The status tells since when a worker has sent no heartbeat, until it leaves.") { stage in
            let store = try await stage.open()
            for _ in 0..<2 { try await store.put() }
            for worker in [WorkerID.ann, .bob] { _ = try await store.take(as: worker, tokens: 1) }
            _ = try await store.beat(as: .ann)
            try await stage.passDelay()
            let workers = try await store.status().workers
            #expect(workers[.ann]?.taken == 1 && workers[.bob] == WorkerStanding(taken: 1))
            let silence = try #require(workers[.ann]?.silence)
            #expect(silence > .milliseconds(390) && silence < .seconds(60))
            _ = try await store.beat(as: .ann)
            #expect(try #require(try await store.status().workers[.ann]?.silence) < silence)
            for worker in [WorkerID.ann, .bob] {
                let taken = try #require(try await store.recover(as: worker, besides: []).first)
                try await store.settle(as: worker, [taken.settlement()])
                #expect(try await store.status().workers[worker]?.taken == 0)
                try await store.leave(as: worker)
            }
            #expect(try await store.status().workers.isEmpty)
        },
        QueueStoreClause("The status has a worker's note until it is taken back, or the worker is forgotten.") {
            stage in
            let store = try await stage.open()
            try await store.note(as: .ann, "no one")
            #expect(try await store.status().workers.isEmpty)
            for worker in [WorkerID.ann, .bob] { _ = try await store.beat(as: worker) }
            for worker in [WorkerID.ann, .bob] { try await store.note(as: worker, "APNs refuses the credential: é") }
            #expect(try await store.status().workers[.ann]?.note == "APNs refuses the credential: é")
            try await store.note(as: .ann, nil)
            let workers = try await store.status().workers
            #expect(workers[.ann]?.note == nil && workers[.bob]?.note != nil)
            try await store.note(as: .ann, "again")
            try await store.leave(as: .ann)
            _ = try await store.beat(as: .ann)
            #expect(try await store.status().workers[.ann]?.note == nil)
            _ = try await store.reclaimAll(from: .bob, as: .ann)
            _ = try await store.beat(as: .bob)
            #expect(try await store.status().workers[.bob]?.note == nil)
        },
        QueueStoreClause("The status forgets a dead worker once all that it had is taken over.") { stage in
            let store = try await stage.open()
            try await store.put()
            _ = try await store.takeOne(as: .ann)
            _ = try await store.beat(as: .ann)
            _ = try await store.reclaimAll(from: .ann, as: .bob)
            #expect(try await store.status().workers.mapValues(\.taken) == [.bob: 1])
        },
    ]
}
