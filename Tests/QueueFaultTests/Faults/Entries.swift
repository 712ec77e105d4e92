import PushQueue
import PushSimulator

extension QueueFaultMatrix {
    /// Entries that harm, and names that are not unique.
    static let entries = QueueFaultChapter(
        title: "Poison and doubles",
        remark: """
            A record that cannot be read, and an entry that three workers died with, become dead letters. Each life of a \
            worker needs a name of its own; the library makes one at random.
            """,
        faults: [unreadable, deadly, sameName])

    private static let unreadable = QueueFault(
        name: "a record that cannot be read, among others", stores: [.redis], put: 500,
        expected: .init(delivered: .exactly(500)), dead: 1
    ) { stage in
        try await stage.put(250)
        try await stage.addRecord(["tokens", "no token", "payload", "{"])
        try await stage.put(250)
        let worker = try stage.worker(at: 0)
        try await stage.rows(500)
        let reason = try await stage.store.deadLetters(limit: 9).first?.reason
        try stage.prove("a dead letter with its reason", reason?.isEmpty == false)
        try await worker.stop()
    }

    private static let deadly = QueueFault(
        name: "an entry of 10 tokens that three workers died with", put: 510,
        expected: .init(delivered: .exactly(500), unknown: .exactly(10)), dead: 1
    ) { stage in
        let victims = (1...3).map { WorkerID("victim-\($0)") }
        try await stage.store.open(as: victims[0])
        try await stage.put(10)
        _ = try await stage.store.take(as: victims[0], tokens: 10)
        for (one, next) in zip(victims, victims.dropFirst()) {
            let over = try await stage.store.reclaim(from: one, at: 0, as: next, limit: 9)
            try stage.prove("it is in doubt", over.count == 1)
        }
        try await stage.put(500)
        let worker = try stage.worker(at: 0)
        try await stage.rows(510)
        let reason = try await stage.store.deadLetters(limit: 9).first?.reason
        try stage.prove("a dead letter with its reason", reason?.isEmpty == false)
        try await worker.stop()
    }

    private static let sameName = QueueFault(
        name: "two workers are given one name", put: 2_000,
        expected: .init(delivered: .exactly(2_000))
    ) { stage in
        // Each has enough with 100 tokens until the other one has pushed, too.
        for apple in stage.apples { apple.holdAnswers() }
        let twins = [
            try stage.worker(at: 0, maxTokens: 100, name: "twin"),
            try stage.worker(at: 1, maxTokens: 100, name: "twin"),
        ]
        try stage.prove("their names differ in the queue", twins[0].worker.id != twins[1].worker.id)
        try await stage.put(2_000)
        for apple in 0...1 { try await stage.pushes(1, at: apple) }
        for apple in stage.apples { apple.releaseAnswers() }
        try await stage.rows(2_000)
        let pushes = stage.apples.map { $0.ledger.snapshot.pushes }
        try stage.prove("both pushed", pushes.allSatisfy { $0 > 0 })
        for twin in twins { try await twin.stop() }
    }
}
