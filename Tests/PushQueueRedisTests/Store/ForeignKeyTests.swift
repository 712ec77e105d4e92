import Foundation
import PushQueue
import QueueTestSupport
import SupervisedPush
import Testing

@testable import PushQueueRedis

/// Keys of the queue that something else uses.
@Suite struct ForeignKeyTests {
    @Test(arguments: [
        "", "later", "delayed", "progress", "workers", "o", "f", "dead", "counts", "wake", "orphans", "calls", "beats",
    ])
    func aKeyOfAnotherTypeIsToldWhenTheQueueIsOpened(part: String) async throws {
        let bench = try QueueBench()
        try await bench.redis("SET", bench.key(part), "text")
        let caught = await #expect(throws: QueueError.self) { try await bench.queue.open(as: .ann) }
        #expect(caught?.code == .failed && caught?.description.contains("something else uses the key") == true)
    }

    /// A script that fails midway is not undone: it must fail before its first write.
    @Test(arguments: ["later", "delayed", "progress", "o", "f", "dead", "counts", "wake", "orphans"])
    func aSettleThatCannotBeDoneChangesNothing(part: String) async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<3 { try await bench.put(2) }
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.redis("DEL", bench.key(part))
        try await bench.redis("SET", bench.key(part), "text")
        let settlements = [
            try taken[0].done(.rejected),
            Settlement(taken[1].key, rows: [], fate: .again(notBefore: .distantFuture, retries: 2)),
            Settlement(taken[2].key, rows: [], fate: .dead("test")),
        ]
        let caught = await #expect(throws: QueueError.self) { try await bench.queue.settle(as: .ann, settlements) }
        #expect(caught?.code == .failed)
        try await bench.redis("DEL", bench.key(part))
        try await bench.queue.settle(as: .ann, settlements)
        let status = try await bench.queue.status()
        #expect(status.outcomes == 2 && status.delayed == 1 && status.dead == 1 && status.taken == 0)
        #expect(try await bench.rows(.feedback).count == 2)
    }

    @Test func anEntryThatCannotBeDelayedStaysInTheStream() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("SET", bench.key("delayed"), "text")
        let fields = try EntryFields.encode(.sample(notBefore: .distantFuture))
        var words = ["XADD", bench.key(), "*"].map { Array($0.utf8) }
        for field in fields { words += [Array(field.name.utf8), field.value] }
        _ = try await bench.redis.execute([RedisCommand(words: words)])
        let caught = await #expect(throws: QueueError.self) { try await bench.queue.take(as: .ann, tokens: 9) }
        #expect(caught?.code == .failed)
        #expect(try await bench.redis("XLEN", bench.key()) == .integer(1))
        try await bench.redis("DEL", bench.key("delayed"))
        // The worker has it, as if the reply had been lost.
        let found = try await bench.queue.recover(as: .ann, besides: [])
        #expect(found.count == 1)
    }

    /// A full disk passes by itself: a worker must try again.
    @Test func aServerThatCannotSaveIsUnreachable() async throws {
        let bench = try QueueBench()
        try await bench.redis("CONFIG", "SET", "save", "3600 1000000")
        try await bench.put()
        // Its folder is gone, so saving fails.
        try FileManager.default.removeItem(at: bench.server.folder)
        try await bench.redis("BGSAVE")
        while try await bench.redis("INFO", "persistence").text?.contains("rdb_last_bgsave_status:err") != true {}
        let caught = await #expect(throws: QueueError.self) { try await bench.queue.open(as: .ann) }
        #expect(caught?.code == .unreachable && caught?.description.contains("disk") == true)
    }

    /// It would be the beginning of another word of the script.
    @Test(arguments: ["", "1", "1-1 done", "-"]) func aKeyThatIsNoIDIsNotSettled(_ text: String) async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let settlement = Settlement(TakenEntry.Key(text), rows: [], fate: .done)
        let caught = await #expect(throws: QueueError.self) {
            try await bench.queue.settle(as: .ann, [settlement])
        }
        #expect(caught?.code == .failed)
    }
}
