import PushQueue
import Testing

extension QueueStoreClause {
    /// So slow that no test reaches the next token: a thousand seconds for each.
    private static func slow(burst: Int) -> QueueRate { QueueRate(perSecond: 0.001, burst: burst) }

    static let rates = [
        QueueStoreClause("After a pause, tokens are permitted up to the burst, to all workers together.") { stage in
            let store = try await stage.open()
            let rate = slow(burst: 5)
            #expect(try await store.permit(as: .ann, tokens: 3, rate: rate) == PushPermit(tokens: 3))
            #expect(try await store.permit(as: .bob, tokens: 9, rate: rate) == PushPermit(tokens: 2))
            for worker in [WorkerID.ann, .bob, .eve] {
                #expect(try await store.permit(as: worker, tokens: 1, rate: rate).tokens == 0)
            }
        },
        QueueStoreClause("Nothing is permitted if nothing is asked for, and it costs nothing.") { stage in
            let store = try await stage.open()
            let rate = slow(burst: 2)
            #expect(try await store.permit(as: .ann, tokens: 0, rate: rate) == PushPermit(tokens: 0))
            #expect(try await store.permit(as: .ann, tokens: 9, rate: rate).tokens == 2)
            #expect(try await store.permit(as: .ann, tokens: 0, rate: rate) == PushPermit(tokens: 0))
        },
        QueueStoreClause("A refused permit says when it is worth asking again.") { stage in
            let store = try await stage.open()
            let rate = slow(burst: 2)
            _ = try await store.permit(as: .ann, tokens: 2, rate: rate)
            let wait = try await store.permit(as: .bob, tokens: 1, rate: rate).wait
            #expect(wait > .seconds(900) && wait < .seconds(1_001))
        },
        QueueStoreClause("After the wait, a token is permitted.") { stage in
            let store = try await stage.open()
            let rate = QueueRate(perSecond: 4, burst: 4)
            #expect(try await store.permit(as: .ann, tokens: 4, rate: rate).tokens == 4)
            let refusal = try await store.permit(as: .ann, tokens: 1, rate: rate)
            // A slow machine may have got there by itself.
            guard refusal.tokens == 0 else { return }
            #expect(refusal.wait > .zero && refusal.wait < .milliseconds(251))
            try await stage.pass(refusal.wait + .milliseconds(10))
            #expect(try await store.permit(as: .ann, tokens: 1, rate: rate).tokens == 1)
        },
        QueueStoreClause("A long pause saves up no more than the burst.") { stage in
            let store = try await stage.open()
            let rate = QueueRate(perSecond: 1_000, burst: 5)
            try await stage.passDelay()
            #expect(try await store.permit(as: .ann, tokens: 100, rate: rate).tokens == 5)
            try await stage.passDelay()
            #expect(try await store.permit(as: .ann, tokens: 100, rate: rate).tokens == 5)
        },
        QueueStoreClause("A stored time that lies too far ahead counts as that of a burst.") { stage in
            let store = try await stage.open()
            // It stores a time ten thousand seconds ahead, as a clock that is set back would leave it.
            #expect(try await store.permit(as: .ann, tokens: 10, rate: slow(burst: 10)).tokens == 10)
            let rate = QueueRate(perSecond: 1_000, burst: 10)
            let refusal = try await store.permit(as: .ann, tokens: 10, rate: rate)
            #expect(refusal.tokens == 0 && refusal.wait < .milliseconds(11))
            try await stage.passDelay()
            #expect(try await store.permit(as: .ann, tokens: 10, rate: rate).tokens == 10)
        },
        QueueStoreClause("A permit is no sign of life, and takes nothing.") { stage in
            let store = try await stage.open()
            try await store.put()
            _ = try await store.permit(as: .ann, tokens: 1, rate: slow(burst: 2))
            let status = try await store.status()
            #expect(status.waiting == 1 && status.workers[.ann]?.silence == nil)
        },
    ]
}
