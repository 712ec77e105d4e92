import Dispatch
import FoundationEssentials
import Glibc
import PushQueue

/// Worker processes on one queue.
struct WorkerFleet {
    private let workers: [Child]
    private let outputs: [String]

    /// Starts them, and returns once each has its connection.
    ///
    /// - Parameter flags: Where they push to.
    init(_ count: Int, on location: String, _ flags: [String], in folder: URL) async throws {
        outputs = (0..<count).map { folder.appendingPathComponent("worker-\($0)").path }
        workers = try outputs.map { output in
            try Child([CommandLine.arguments[0], "queue-worker", "--location", location] + flags, output: output)
        }
        let end = ContinuousClock.now + .seconds(30)
        while try !outputs.allSatisfy(Self.isUp) {
            guard ContinuousClock.now < end else {
                kill()
                throw BenchError("not all of the \(count) workers came up")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func isUp(_ output: String) throws -> Bool {
        try String(contentsOfFile: output, encoding: .utf8).contains("up\n")
    }

    /// Returns once this many outcomes are stored: the seconds from the moment that a tenth of them were.
    func watch(_ store: any PushQueueStore, _ count: Int) async throws -> (seconds: Double, outcomes: Int) {
        var first: (time: UInt64, outcomes: Int)?
        while true {
            let outcomes = try await store.status().outcomes
            let now = DispatchTime.now().uptimeNanoseconds
            if let first, outcomes >= count {
                return (Double(now - first.time) / 1e9, outcomes - first.outcomes)
            }
            if first == nil, outcomes >= count / 10 { first = (now, outcomes) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func kill() { for worker in workers { worker.kill() } }
}
