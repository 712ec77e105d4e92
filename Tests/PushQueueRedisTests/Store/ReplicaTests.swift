import Foundation
import PushQueue
import PushQueueRedis
import QueueTestSupport
import Testing

/// Calls that wait for a replica.
@Suite(.timeLimit(.minutes(2))) struct RedisReplicaTests {
    private struct Stage {
        let bench: QueueBench
        let replica: RedisServer
        let queue: RedisQueue

        init(_ timeout: Duration = .seconds(30), maxEntries: Int? = nil) async throws {
            bench = try QueueBench()
            var options = RedisServer.Options()
            options.replicaOf = bench.server
            replica = try RedisServer(options)
            queue = try Self.queue(bench, timeout, maxEntries: maxEntries)
            try await bench.redis("SET", "first", "write")
            while try await bench.redis("WAIT", "1", "1000") != .integer(1) {}
            try await queue.open(as: .ann)
        }

        static func queue(_ bench: QueueBench, _ timeout: Duration, maxEntries: Int? = nil) throws -> RedisQueue {
            var options = RedisQueue.Configuration()
            if let maxEntries { options.maxEntries = maxEntries }
            options.replicas = 1
            options.replicaTimeout = timeout
            return try bench.another(options)
        }
    }

    @Test func whatWasPutInAndSettledIsOnTheReplicaWhenTheCallReturns() async throws {
        let stage = try await Stage()
        let reader = try stage.replica.connect()
        for count in 1...20 as ClosedRange<Int64> {
            try await stage.queue.enqueue([.sample()])
            #expect(try await reader("XLEN", stage.bench.key()) == .integer(1))
            let taken = try await stage.queue.take(as: .ann, tokens: 1)
            try await stage.queue.settle(as: .ann, taken.map { try $0.done() })
            #expect(try await reader("XLEN", stage.bench.key("o")) == .integer(count))
        }
    }

    @Test func aReplicaThatIsStoppedIsTold() async throws {
        let stage = try await Stage(.milliseconds(50))
        // This one waits for no replica: 50 ms may be too short for one that runs, too.
        try await stage.bench.put()
        let taken = try await stage.queue.take(as: .ann, tokens: 1)
        stage.replica.pause()
        let entry = try QueueEntry.sample()
        let calls: [() async throws -> Void] = [
            { try await stage.queue.enqueue([entry]) },
            { try await stage.queue.settle(as: .ann, taken.map { try $0.done() }) },
        ]
        // Each has happened, and can be repeated. A repetition changes nothing, and is not told to be on the replica,
        // although a new connection has written nothing that the replica could lack.
        let another = try Stage.queue(stage.bench, .milliseconds(50))
        for call in calls + calls + [{ try await another.enqueue([entry]) }] {
            let caught = await #expect(throws: QueueError.self) { try await call() }
            #expect(caught?.code == .unreachable)
            #expect(caught?.description.contains("0 of 1 replicas") == true)
        }
        var status = try await stage.queue.status()
        #expect(status.waiting == 1 && status.outcomes == 1 && status.taken == 0)
        stage.replica.resume()
        let patient = try Stage.queue(stage.bench, .seconds(30))
        try await patient.enqueue([entry])
        try await patient.settle(as: .ann, taken.map { try $0.done() })
        status = try await patient.status()
        #expect(status.waiting == 1 && status.outcomes == 1)
    }

    @Test func aFullQueueIsNotTakenForItsReplica() async throws {
        let stage = try await Stage(.milliseconds(50), maxEntries: 1)
        stage.replica.pause()
        // It is put in, and the replica does not have it.
        let first = await #expect(throws: QueueError.self) { try await stage.queue.enqueue([.sample()]) }
        #expect(first?.code == .unreachable)
        let second = await #expect(throws: QueueError.self) { try await stage.queue.enqueue([.sample()]) }
        #expect(second?.code == .full)
        stage.replica.resume()
    }

    @Test func aFullServerIsNotTakenForItsReplica() async throws {
        let stage = try await Stage(.milliseconds(50))
        let another = try Stage.queue(stage.bench, .milliseconds(50))
        try await stage.bench.put()
        let settlements = try await stage.queue.take(as: .ann, tokens: 1).map { try $0.done() }
        let entry = try QueueEntry.sample()
        // These connections have written what the replica has.
        _ = try await another.beat(as: .bob)
        try await stage.bench.redis("SET", "last", "write")
        while try await stage.bench.redis("WAIT", "1", "1000") != .integer(1) {}
        stage.replica.pause()
        await #expect(throws: QueueError.self) { try await stage.queue.enqueue([entry]) }
        try await stage.bench.redis("CONFIG", "SET", "maxmemory", "1")
        for queue in [stage.queue, another] {
            let calls: [() async throws -> Void] = [
                { try await queue.enqueue([entry]) }, { try await queue.settle(as: .ann, settlements) },
            ]
            for call in calls {
                let caught = await #expect(throws: QueueError.self) { try await call() }
                #expect(caught?.code == .unreachable)
                #expect(caught?.description.contains("0 of 1 replicas") == true)
            }
        }
        stage.replica.resume()
        let patient = try Stage.queue(stage.bench, .seconds(30))
        try await patient.enqueue([entry])
        try await patient.settle(as: .ann, settlements)
        let status = try await patient.status()
        #expect(status.waiting == 1 && status.outcomes == 1)
    }

    @Test func aServerWithoutReplicasIsTold() async throws {
        let bench = try QueueBench()
        var options = RedisQueue.Configuration()
        options.replicas = 2
        options.replicaTimeout = .milliseconds(1)
        let queue = try bench.another(options)
        let caught = await #expect(throws: QueueError.self) { try await queue.enqueue([.sample()]) }
        #expect(caught?.code == .unreachable && caught?.description.contains("0 of 2 replicas") == true)
    }
}
