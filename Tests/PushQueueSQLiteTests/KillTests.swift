import Dispatch
import Glibc
import PushQueue
import PushQueueSQLite
import PushSQLite
import Testing

@Suite struct KillTests {
    /// The process ends between any two instructions. What it had committed is there, and the rest never was.
    @Test(arguments: [0, 300, 1_000, 3_000, 10_000, 30_000])
    func aKilledProcessLosesNothingAndSettlesNothingTwice(_ microseconds: Int) async throws {
        let bench = QueueBench()
        let queue = bench.queue()
        let entries = try (0..<3_000).map { try entry($0 % 100 == 0 ? 40 : 1) }
        try await queue.enqueue(entries)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = bench.path as String, microseconds = microseconds as Int] in
            let queue = SQLiteQueue(path)
            try await queue.open(as: WorkerID("doomed"))
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(microseconds)) {
                kill(getpid(), SIGKILL)
            }
            while true {
                let taken = try await queue.take(as: WorkerID("doomed"), tokens: 16)
                try await queue.settle(as: WorkerID("doomed"), taken.map { try $0.delivered() })
            }
        }
        let counter = try await queue.beat(as: .ann)[WorkerID("doomed")]
        var left = [TakenEntry]()
        if let counter { left = try await queue.reclaim(from: WorkerID("doomed"), at: counter, as: .ann, limit: 100) }
        #expect(left.allSatisfy { $0.doubts == 1 && $0.settled.isEmpty })
        left += try await queue.take(as: .ann, tokens: .max)
        try await queue.settle(as: .ann, left.map { try $0.delivered() })
        let outcomes = try await queue.outcomes(.all, after: nil, limit: .max).outcomes
        let pushes = Set(outcomes.map { "\($0.entry) \($0.index)" })
        let tokens = entries.reduce(0) { $0 + $1.tokens.count }
        #expect(outcomes.count == tokens && pushes.count == tokens)
        let status = try await queue.status()
        #expect(status.waiting == 0 && status.taken == 0 && status.outcomes == tokens)
        let check = try bench.database().prepare("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
    }
}
