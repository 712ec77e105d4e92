import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// A queue with a campaign, and what is known of it afterwards.
struct WorkerStage {
    let queue: MemoryQueue
    let entries: [QueueEntry]

    init(_ queue: MemoryQueue, tokens: Int, perEntry: Int = 256, neverRepeats: Bool = false) async throws {
        self.queue = queue
        entries = try stride(from: 0, to: tokens, by: perEntry).map { first in
            try QueueEntry(
                Samples.flight, to: (first..<min(tokens, first + perEntry)).map { Samples.token($0) },
                neverRepeats: neverRepeats)
        }
        try await queue.enqueue(entries)
    }

    /// Returns once there are this many outcomes.
    func waitForOutcomes(_ count: Int) async {
        await until { queue.outcomeCount >= count }
    }

    var outcomes: [QueueOutcome] {
        get async throws { try await queue.outcomes(.all, after: nil, limit: .max).outcomes }
    }

    /// Whether each token has one outcome.
    var isComplete: Bool {
        get async throws {
            let places = try await outcomes.map { "\($0.entry) \($0.index)" }
            return places.count == entries.reduce(0) { $0 + $1.tokens.count } && Set(places).count == places.count
        }
    }
}

extension PushWorker {
    /// Returns once its status is so.
    func wait(until isSo: (Status) -> Bool) async {
        await until { isSo(status) }
    }
}
