import PushQueue
import SupervisedPush

/// Entries of one payload, and one worker that pushes them.
struct QueueLoad {
    let store: any PushQueueStore
    let work: Work
    /// How many tokens an entry has.
    let tokensPerEntry: Int

    /// How many entries are put in together.
    private static let batch = 256

    /// Puts in entries for this many tokens.
    func fill(_ count: Int) async throws {
        var entries: [QueueEntry] = []
        for first in stride(from: 0, to: count, by: tokensPerEntry) {
            let tokens = (first..<min(count, first + tokensPerEntry)).map(work.token)
            entries.append(try QueueEntry(work.notification(first), to: tokens))
            guard entries.count == Self.batch else { continue }
            try await store.enqueue(entries)
            entries.removeAll(keepingCapacity: true)
        }
        if !entries.isEmpty { try await store.enqueue(entries) }
    }

    /// Lets a worker push what is in the queue, and returns the values once its outcomes are stored.
    func drain(_ count: Int, over connection: PushConnection) async throws -> [String: Double] {
        let worker = PushWorker(queue: store, connection: connection)
        let start = Usage()
        let run = Task { try await worker.run() }
        while worker.status.settled < count {
            if let error = worker.status.lastError { throw BenchError("a call to the queue failed: \(error)") }
            try await Task.sleep(for: .milliseconds(5))
        }
        let values = start.values(of: count)
        worker.stop(within: .seconds(1))
        try await run.value
        return values
    }

    /// Reads the outcomes behind a position, all of which must be delivered; returns the next position and what a row
    /// costs.
    func readOutcomes(_ count: Int, after position: String?) async throws -> (position: String?, cpu: Double) {
        let start = Usage()
        var (position, read) = (position, 0)
        while read < count {
            let page = try await store.outcomes(.all, after: position, limit: 1_000)
            guard !page.outcomes.isEmpty else { throw BenchError("\(read) of \(count) outcomes were stored") }
            if let bad = page.outcomes.first(where: { $0.kind != .delivered }) {
                throw BenchError("a push was not delivered: \(bad.kind.rawValue) \(bad.reason ?? "")")
            }
            (position, read) = (page.position, read + page.outcomes.count)
        }
        return (position, start.values(of: count)["cpu_us"] ?? 0)
    }
}

/// The same pushes without a queue, with the same apns-ids: what `pushctl bulk` does, without its files.
final class BulkLoad: NumberedPushes, @unchecked Sendable {
    // Sendable: one task reads it.
    private let work: Work
    private let count: Int
    private let entry = EntryID()
    private var number = 0

    init(_ work: Work, _ count: Int) { (self.work, self.count) = (work, count) }

    func next(most: Int) -> (push: Push, number: Int)? {
        guard number < count else { return nil }
        defer { number += 1 }
        var notification = work.notification(number)
        notification.apnsID = .fixed(entry.apnsID(of: number))
        return (Push(notification, to: work.token(number)), number)
    }

    func beforeWaiting(_ offer: @escaping () -> Void) {}

    static func run(_ work: Work, _ count: Int, over connection: PushConnection) async throws -> [String: Double] {
        let start = Usage()
        var tally = Tally()
        try await connection.bulk(numbered: BulkLoad(work, count)).forEachBatch { outcomes in
            while let outcome = outcomes.atHand() { tally.note(outcome.result) }
        }
        try tally.requireAllAccepted()
        return start.values(of: count)
    }
}
