import PushQueue
import Testing

extension QueueStoreClause {
    static let steering = [
        QueueStoreClause("A new queue is not paused, and has no rate.") { stage in
            let store = try await stage.open()
            #expect(try await store.steering() == QueueSteering())
            #expect(try await store.status().steering == QueueSteering())
        },
        QueueStoreClause("A pause stays until the queue is resumed, and an order can be repeated.") { stage in
            let store = try await stage.open()
            for _ in 0..<2 { #expect(try await store.steer(.pause) == QueueSteering(isPaused: true)) }
            #expect(try await store.steering().isPaused)
            #expect(try await store.status().steering.isPaused)
            for _ in 0..<2 { #expect(try await store.steer(.resume) == QueueSteering()) }
            #expect(try await store.steering() == QueueSteering())
        },
        QueueStoreClause("A rate is stored as it was given, until it is removed.") { stage in
            let store = try await stage.open()
            for rate in [QueueRate(perSecond: 0.125, burst: 7), QueueRate(perSecond: 10_000_000)] {
                #expect(try await store.steer(.rate(rate)).rate == rate)
                #expect(try await store.steering() == QueueSteering(rate: rate))
                #expect(try await store.status().steering.rate == rate)
            }
            #expect(try await store.steer(.rate(nil)) == QueueSteering())
        },
        QueueStoreClause("A pause and a rate leave each other alone.") { stage in
            let store = try await stage.open()
            let rate = QueueRate(perSecond: 50, burst: 5)
            try await store.steer(.rate(rate))
            #expect(try await store.steer(.pause) == QueueSteering(isPaused: true, rate: rate))
            #expect(try await store.steer(.rate(nil)) == QueueSteering(isPaused: true))
        },
        QueueStoreClause("A paused queue loses nothing, and takes what is put in.") { stage in
            let store = try await stage.open()
            let taken = try await store.put()
            let held = try await store.takeOne(as: .ann)
            try await store.steer(.pause)
            try await store.put()
            try await store.release(as: .ann, [held.key])
            #expect(try await store.status().waiting == 2)
            try await store.steer(.resume)
            #expect(try await store.take(as: .bob, tokens: 9).first?.id == taken.id)
        },
    ]
}
