import Foundation
import PushQueue
import PushQueueRedis
import Testing

/// Each wait here may take an hour; the server ends it after 15 s.
@Suite(.timeLimit(.minutes(5))) struct RedisWaitTests {
    /// Returns when a client is blocked, so that what follows finds a worker that waits.
    private func blocked(_ bench: QueueBench) async throws {
        while true {
            if case .bytes(let info) = try await bench.redis("INFO", "clients"),
                String(decoding: info, as: UTF8.self).contains("blocked_clients:1")
            {
                return
            }
        }
    }

    private func ends(_ event: (QueueBench) async throws -> Void) async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<2 { try await bench.put() }
        let taken = try await bench.queue.take(as: .ann, tokens: 1)
        _ = try await bench.queue.take(as: .bob, tokens: 9)
        async let wait: Void = bench.queue.wait(as: .bob, upTo: .seconds(3_600))
        try await blocked(bench)
        try await event(bench)
        try await wait
        #expect(taken.count == 1)
    }

    @Test func anEntryEndsAWait() async throws { try await ends { try await $0.put() } }

    @Test func aPlainXADDEndsAWait() async throws {
        try await ends { try await $0.redis("XADD", $0.key(), "*", "a", "b") }
    }

    @Test func aRecordThatDoesNotFitIntoAReplyEndsAWait() async throws {
        let script = "redis.call('XADD', KEYS[1], '*', 'payload', string.rep('x', 68157440))"
        try await ends { try await $0.redis("EVAL", script, "1", $0.key()) }
    }

    @Test func aReleaseEndsAWait() async throws {
        try await ends { bench in
            let held = try await bench.queue.recover(as: .ann, besides: [])
            try await bench.queue.release(as: .ann, held.map(\.key))
        }
    }

    @Test func anEntryThatIsDueSoonEndsAWait() async throws {
        try await ends { try await $0.put(1, notBefore: Date() + 0.05) }
    }

    @Test func aWaitEndsWhenTheFirstDelayedEntryIsDue() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.put(1, notBefore: Date() + 0.05)
        var taken: [TakenEntry] = []
        while taken.isEmpty {
            try await bench.queue.wait(as: .ann, upTo: .seconds(3_600))
            taken = try await bench.queue.take(as: .ann, tokens: 9)
        }
        #expect(try await bench.queue.status().delayed == 0)
    }

    @Test func whatIsThereEndsAWaitAtOnce() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<2 { try await bench.put() }
        try await bench.queue.wait(as: .ann, upTo: .seconds(3_600))
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.queue.release(as: .ann, taken.map(\.key))
        try await bench.queue.wait(as: .ann, upTo: .seconds(3_600))
    }

    @Test func aWaitEndsAtItsTime() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.queue.wait(as: .ann, upTo: .milliseconds(1))
        try await bench.queue.wait(as: .ann, upTo: .zero)
    }
}
