import Foundation
import PushQueue
import PushQueueSQLite
import PushSQLite
import Testing

@Suite struct SharingTests {
    private let bench = QueueBench()

    @Test func aWaitEndsWhenAnotherProcessPutsSomethingIn() async throws {
        let (worker, producer) = (bench.queue(), bench.queue())
        try await worker.open(as: .ann)
        let start = ContinuousClock.now
        async let waited: Void = worker.wait(as: .ann, upTo: .seconds(60))
        try await producer.enqueue([entry()])
        try await waited
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(try await worker.take(as: .ann, tokens: 9).count == 1)
    }

    @Test func aWaitEndsWhenADelayedEntryIsDue() async throws {
        let queue = SQLiteQueue(bench.path)
        try await queue.enqueue([entry(1, notBefore: Date() + 0.1)])
        try await queue.wait(as: .ann, upTo: .seconds(60))
        #expect(try await queue.take(as: .ann, tokens: 9).count == 1)
    }

    @Test func aWaitEndsWhenItsTaskIsCancelled() async throws {
        let queue = bench.queue()
        try await queue.open(as: .ann)
        let start = ContinuousClock.now
        let waits = Task { try await queue.wait(as: .ann, upTo: .seconds(3_600)) }
        await Task.yield()
        waits.cancel()
        try await waits.value
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func manyWaitsEndTogether() async throws {
        let queue = bench.queue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await queue.wait(as: .ann, upTo: .seconds(3_600)) } }
            group.addTask { try await queue.enqueue([entry()]) }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(-1)])
    func aBusyTimeoutOfAnyLengthIsTaken(timeout: Duration) async throws {
        var options = SQLiteQueue.Configuration()
        options.busyTimeout = timeout
        // One queue: without a wait, another one may meet the first while it closes the file.
        let queue = bench.queue("push", options)
        try await queue.enqueue([entry()])
        #expect(try await queue.status().waiting == 1)
    }

    @Test func aFileThatAnotherProcessKeepsLockedIsUnreachable() async throws {
        var options = SQLiteQueue.Configuration()
        options.busyTimeout = .milliseconds(10)
        let queue = bench.queue("push", options)
        try await queue.enqueue([entry()])
        let database = try bench.database()
        try database.execute("BEGIN IMMEDIATE")
        let error = await error { _ = try await queue.take(as: .ann, tokens: 1) }
        #expect(error?.code == .unreachable && error?.description.contains("locked") == true)
        #expect(try await queue.status().waiting == 1)
        try database.execute("ROLLBACK")
        #expect(try await queue.take(as: .ann, tokens: 1).count == 1)
    }

    @Test func workersOfSeveralConnectionsShareWithoutTwiceOrNever() async throws {
        let producer = bench.queue()
        let entries = try (0..<600).map { _ in try entry() }
        try await producer.enqueue(entries)
        let taken = try await withThrowingTaskGroup(of: [EntryID].self) { group in
            for number in 0..<4 {
                let queue = bench.queue()
                group.addTask {
                    let worker = WorkerID("worker-\(number)")
                    var ids: [EntryID] = []
                    while true {
                        let taken = try await queue.take(as: worker, tokens: 7)
                        if taken.isEmpty { return ids }
                        ids += try taken.map { try $0.entry.get().id }
                        try await queue.settle(as: worker, taken.map { try $0.delivered() })
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.count == 600 && Set(taken) == Set(entries.map(\.id)))
        #expect(try await producer.status().outcomes == 600)
    }

    @Test func manyProcessesMayMakeTheFileAtTheSameTime() async throws {
        for number in 0..<10 {
            let path = bench.folder + "/file-\(number).db"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in ["shop", "shop", "shop", "news", "news", "news"] {
                    let queue = bench.queue(name, path: path)
                    group.addTask { try await queue.enqueue([entry()]) }
                }
                try await group.waitForAll()
            }
            #expect(try await bench.queue("shop", path: path).status().waiting == 3)
            #expect(try await bench.queue("news", path: path).status().waiting == 3)
        }
    }

    @Test func whatWasCommittedIsThereAfterTheEndOfTheProcess() async throws {
        let queue = bench.queue()
        func agree() async throws {
            let copy = try bench.copy()
            #expect(try await copy.status() == queue.status())
            #expect(
                try await copy.outcomes(.all, after: nil, limit: 99).outcomes
                    == queue.outcomes(.all, after: nil, limit: 99).outcomes)
        }
        for _ in 0..<10 {
            try await queue.enqueue([entry(), entry(3), entry(300)])
            try await agree()
            let taken = try await queue.take(as: .ann, tokens: 10)
            try await agree()
            try await queue.settle(as: .ann, taken.dropFirst().map { try $0.delivered() })
            try await agree()
            try await queue.release(as: .ann, taken.prefix(1).map(\.key))
            try await agree()
        }
    }

    @Test func aTransactionThatTheProcessDidNotFinishLeavesNothing() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry(), entry()])
        _ = try await queue.take(as: .ann, tokens: 1)
        let database = try bench.database()
        // A cache of one page lets SQLite write changes to the log before they are committed.
        try database.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM taken; DELETE FROM entries")
        let copy = try bench.copy()
        #expect(try await copy.status() == queue.status())
        #expect(try await copy.recover(as: .ann, besides: []).count == 1)
        #expect(try await copy.take(as: .bob, tokens: 9).count == 1)
    }
}
