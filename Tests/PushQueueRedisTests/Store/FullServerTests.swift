import Foundation
import PushQueue
import PushQueueRedis
import Testing

@Suite struct FullRedisTests {
    /// A server without memory refuses what adds, and does all that drains.
    @Test func aFullServerIsDrained() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<20 { try await bench.put(600) }
        for _ in 0..<20 { try await bench.put() }
        try await bench.redis("CONFIG", "SET", "maxmemory", "1")
        let caught = await #expect(throws: QueueError.self) { try await bench.put() }
        #expect(caught?.code == .full)
        #expect(caught?.description.contains("maxmemory") == true)

        _ = try await bench.queue.beat(as: .ann)
        var ended = 0
        while true {
            let taken = try await bench.queue.take(as: .ann, tokens: 1_200)
            if taken.isEmpty { break }
            for entry in taken where (try entry.rows().count) > 256 {
                try await bench.queue.offer(as: .ann, [entry.key: 256])
                try await bench.queue.settle(as: .ann, [Settlement(entry.key, rows: entry.rows(0..<256), fate: .open)])
            }
            try await bench.queue.settle(as: .ann, taken.map { try $0.done() })
            ended += taken.count
        }
        #expect(ended == 40)
        #expect(try await bench.queue.status().outcomes == 20 * 601)
        try await bench.queue.leave(as: .ann)
    }

    @Test func aFullServerLetsADeadWorkersEntriesBeTakenOverAndReleased() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.put(2)
        _ = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.redis("CONFIG", "SET", "maxmemory", "1")
        let over = try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 9)
        #expect(over.map(\.doubts) == [1])
        try await bench.queue.release(as: .bob, over.map(\.key))
        let again = try await bench.queue.take(as: .bob, tokens: 9)
        #expect(again.map(\.key) == over.map(\.key))
        try await bench.queue.settle(
            as: .bob, [Settlement(over[0].key, rows: [], fate: .again(notBefore: .distantPast))])
        #expect(try await bench.queue.take(as: .bob, tokens: 9).count == 1)
    }
}
