import Foundation
import PushQueue
import PushSQLite
import Testing

@testable import PushQueueSQLite

/// What SQLite reads for a step, by its own account.
@Suite struct PlanTests {
    private let bench = QueueBench()

    private func file(_ options: SQLiteQueue.Configuration = .init()) throws -> QueueFile {
        try QueueFile(bench.path, name: "push", configuration: options, now: bench.now)
    }

    /// Each statement that a step runs finds its rows by their number or by an index. These read a table as a whole:
    /// `taken`, which is short, because workers take only what they have room for.
    @Test func noStepReadsATableAsAWhole() throws {
        let file = try file()
        var scans: [String] = []
        for case let (name?, statement as Statement) in Mirror(reflecting: file.sql).children.map({
            ($0.label, $0.value)
        }) {
            let plan = try file.database.prepare("EXPLAIN QUERY PLAN " + statement.text)
            while try plan.step() {
                let line = plan.string(3)
                if line.contains("SCAN") && line != "SCAN CONSTANT ROW" || line.contains("TEMP B-TREE") {
                    scans.append("\(name): \(line)")
                }
            }
        }
        #expect(
            scans.sorted() == [
                "leave: SCAN taken", "takenByWorker: SCAN taken", "takenCounts: SCAN taken",
                "takenCounts: USE TEMP B-TREE FOR GROUP BY",
            ])
    }

    @Test func aLookForWorkPassesDelayedEntriesOnce() async throws {
        let file = try file()
        let queue = bench.queue()
        try await queue.enqueue([entry()])
        try await queue.enqueue((0..<500).map { _ in try entry(notBefore: bench.now() + 60) })
        #expect(try await queue.take(as: .ann, tokens: 1).count == 1)
        #expect(try file.nextWork() == 60_000)
        file.sql.fresh.resetSteps()
        for _ in 0..<10 { #expect(try file.nextWork() == 60_000) }
        #expect(file.sql.fresh.steps == 0)
        try await queue.enqueue([entry()])
        #expect(try file.nextWork() == 0)
        #expect(file.sql.fresh.steps < 200)
    }

    @Test func aTakePassesDelayedEntriesOnceAlthoughTheNextDoesNotFit() throws {
        let file = try file()
        func add(_ count: Int, due: Int64?) throws {
            let entry = try entry(count)
            let stored = StoredEntry(fields: try EntryFields.encode(entry), count: count, due: due)
            try file.add([stored], call: entry.id)
        }
        try add(1, due: nil)
        for _ in 0..<500 { try add(1, due: .max) }
        try add(5, due: nil)
        #expect(try file.take(as: .ann, tokens: 2).map(\.fields.count).count == 1)
        file.sql.fresh.resetSteps()
        #expect(try file.nextWork() == 0)
        #expect(file.sql.fresh.steps < 200)
        #expect(try file.take(as: .ann, tokens: 2).count == 1)
    }

    @Test func anUrgentEntryIsTakenWithoutReadingABacklog() async throws {
        let queue = bench.queue()
        for _ in 0..<10 { try await queue.enqueue((0..<500).map { _ in try entry() }) }
        for _ in 0..<10 { try await queue.enqueue((0..<50).map { _ in try entry(notBefore: bench.now() + 60) }) }
        var urgent = try entry()
        urgent.isUrgent = true
        try await queue.enqueue([urgent])
        let file = try file()
        let statements = [file.sql.hasUrgent, file.sql.due, file.sql.fresh, file.sql.allFresh]
        for statement in statements { statement.resetSteps() }
        #expect(try file.take(as: .ann, tokens: 1).map { try $0.decoded.get().id } == [urgent.id])
        #expect(statements.reduce(0) { $0 + $1.steps } < 300)
    }

    @Test func aTakePassesWhatWaitsForARateOnce() async throws {
        let queue = bench.queue()
        let spring = try CampaignName("spring")
        let input = CampaignInput(records: "spring", author: "anna on web1")
        let batch = CampaignBatch(after: try await queue.begin(spring, with: input), through: 500, isLast: true)
        try await queue.enqueue((0..<500).map { _ in try entry() }, as: batch)
        try await queue.enqueue([entry(), entry(), entry()])
        try await queue.steer(.rate(QueueRate(perSecond: 0.001, burst: 1)), campaign: spring)
        let file = try file()
        // One of the campaign, and an ordinary one that has 499 before it.
        #expect(try file.take(as: .ann, tokens: 2).count == 2)
        let statements = [
            file.sql.hasUrgent, file.sql.due, file.sql.dueWithHolds, file.sql.paces, file.sql.fresh, file.sql.allFresh,
        ]
        for statement in statements { statement.resetSteps() }
        #expect(try file.take(as: .ann, tokens: 1).count == 1)
        #expect(statements.reduce(0) { $0 + $1.steps } < 300)
    }

    @Test func aCampaignForLaterCostsALookNothing() async throws {
        let queue = bench.queue()
        for _ in 0..<3 { try await queue.enqueue((0..<100).map { _ in try entry(notBefore: bench.now() + 60) }) }
        let file = try file()
        #expect(try file.nextWork() == 60_000)
        #expect(file.sql.fresh.steps == 0)
    }

    @Test(arguments: [SQLiteQueue.Configuration.Durability.process, .machine])
    func aLossOfPowerIsSurvivedIfAskedFor(_ durability: SQLiteQueue.Configuration.Durability) async throws {
        var options = SQLiteQueue.Configuration()
        options.durability = durability
        let file = try file(options)
        // 1 is NORMAL, 2 is FULL: each commit waits until the disk has the log.
        #expect(try file.database.integer("PRAGMA synchronous") == (durability == .machine ? 2 : 1))
        let mode = try file.database.prepare("PRAGMA journal_mode")
        #expect(try mode.step() && mode.text(0) == "wal")
        let queue = bench.queue("push", options)
        try await queue.enqueue([entry()])
        try await queue.settle(as: .ann, queue.take(as: .ann, tokens: 1).map { try $0.delivered() })
        #expect(try await bench.copy().status().outcomes == 1)
    }
}
