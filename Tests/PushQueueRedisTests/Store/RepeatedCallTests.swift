import Foundation
import PushQueue
import Testing

@testable import PushQueueRedis

/// Calls of producers whose answers were lost.
@Suite struct RedisRepeatedCallTests {
    @Test func aCallWhoseAnswerWasLostAddsNothingAgain() async throws {
        let bench = try QueueBench()
        let client = LossyRedis(try bench.server.connect())
        let queue = try RedisQueue(bench.name, commands: client, waiting: client)
        try await queue.open(as: .ann)
        try await queue.enqueue([.sample()])
        let entries = try (0..<3).map { try QueueEntry.sample(1, notBefore: $0 == 2 ? .distantFuture : nil) }
        client.loseNextReply()
        await #expect(throws: QueueError.self) { try await queue.enqueue(entries) }
        try await queue.enqueue(entries)
        let status = try await queue.status()
        #expect(status.waiting == 3 && status.delayed == 1)
    }

    @Test func aRepeatedCallIsNotRefusedByAServerThatIsFullNow() async throws {
        let bench = try QueueBench()
        let entries = [try QueueEntry.sample()]
        try await bench.queue.enqueue(entries)
        try await bench.redis("CONFIG", "SET", "maxmemory", "1")
        try await bench.queue.enqueue(entries)
        let caught = await #expect(throws: QueueError.self) { try await bench.queue.enqueue([.sample()]) }
        #expect(caught?.code == .full)
    }

    /// Puts entries in until the calls have been trimmed, which about one call in 64 does.
    private func putUntilTrimmed(_ bench: QueueBench, to limit: Int) async throws -> QueueEntry {
        while true {
            let entry = try await bench.put()
            let count = try await bench.redis("ZCARD", bench.key("calls")).number ?? 0
            if count <= limit { return entry }
        }
    }

    @Test func callsAreForgottenAfterAMinuteAndWhenThereAreMany() async throws {
        let bench = try QueueBench()
        let now = Int(Date().timeIntervalSince1970 * 1_000)
        let script = "for i = 1, ARGV[1] do redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3] .. i) end"
        try await bench.redis("EVAL", script, "1", bench.key("calls"), "100000", "\(now - 61_000)", "old")
        _ = try await putUntilTrimmed(bench, to: 10_000)
        #expect(try await bench.redis("ZSCORE", bench.key("calls"), "old1") == .null)
        try await bench.redis("EVAL", script, "1", bench.key("calls"), "20000", "\(now)", "new")
        let entry = try await putUntilTrimmed(bench, to: 10_000)
        let count = try await bench.queue.status().waiting
        try await bench.queue.enqueue([entry])
        #expect(try await bench.queue.status().waiting == count)
    }

    /// The calls that the old master stored lie ahead. The newest is still the last to be forgotten.
    @Test func theClockOfTheNewMasterIsBehindAndCallsAreRemembered() async throws {
        let bench = try QueueBench()
        let ahead = Int(Date().timeIntervalSince1970 * 1_000) + 3_600_000
        let script = "for i = 1, 20000 do redis.call('ZADD', KEYS[1], ARGV[1], i) end"
        try await bench.redis("EVAL", script, "1", bench.key("calls"), "\(ahead)")
        let entry = try await putUntilTrimmed(bench, to: 10_000)
        let count = try await bench.queue.status().waiting
        try await bench.queue.enqueue([entry])
        #expect(try await bench.queue.status().waiting == count)
    }
}
