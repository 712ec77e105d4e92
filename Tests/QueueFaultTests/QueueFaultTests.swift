import Foundation
import PushQueue
import PushSimulator
import Testing

/// All faults of a queue, chapter by chapter.
enum QueueFaultMatrix {
    /// How many workers are killed: 10, or 100 in a full run.
    static let kills = number("SUPERVISED_PUSH_QUEUE_KILLS") ?? 10
    /// How many tokens the large campaign has: 100,000, or a million in a full run.
    static let tokens = number("SUPERVISED_PUSH_QUEUE_TOKENS") ?? 100_000
    /// Whether this run has other sizes than the page.
    static let isLarger = number("SUPERVISED_PUSH_QUEUE_KILLS") != nil || number("SUPERVISED_PUSH_QUEUE_TOKENS") != nil

    static let chapters = [workers, networks, servers, failovers, entries, campaign]

    /// All cells, the longest first, or those whose names contain what `SUPERVISED_PUSH_FAULT` says.
    static let cells = (chapters.suffix(1) + chapters.dropLast()).flatMap(\.cells).filter { cell in
        ProcessInfo.processInfo.environment["SUPERVISED_PUSH_FAULT"].map { cell.description.contains($0) } ?? true
    }
    /// The cells in two lanes that run beside one another: most of them wait for a worker to be counted as dead.
    static let lanes = (0...1).map { lane in cells.enumerated().filter { $0.offset % 2 == lane }.map(\.element) }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.map { max(1, $0) }
    }
}

@Suite("every fault of a queue: nothing is lost, and only what was in doubt is pushed twice", QueueFaultTableTrait())
struct QueueFaultTests {
    @Test(.serialized, .timeLimit(.minutes(30)), arguments: QueueFaultMatrix.lanes[0])
    func eachTokenEndsOnce(_ cell: QueueCell) async throws { try await play(cell) }

    @Test(.serialized, .timeLimit(.minutes(30)), arguments: QueueFaultMatrix.lanes[1])
    func eachTokenEndsOnceInTheOtherLane(_ cell: QueueCell) async throws { try await play(cell) }

    @Test func thereAreCells() {
        #expect(!QueueFaultMatrix.cells.isEmpty, "SUPERVISED_PUSH_FAULT names no fault of this matrix")
    }

    private func play(_ cell: QueueCell) async throws {
        let fault = cell.fault
        let stage = try QueueStage(cell.store, ledger: fault.ledger)
        do { try await judge(cell, stage) } catch { Issue.record("\(cell): \(error)") }
        await stage.end()
    }

    private func judge(_ cell: QueueCell, _ stage: QueueStage) async throws {
        let fault = cell.fault
        try await fault.story(stage)
        let audit = try await stage.audit()
        let (counts, expected) = (audit.counts, fault.expected)
        let dead = try await stage.store.deadLetters(limit: 1_000).count
        let isExpected =
            counts.put == fault.put && expected.delivered.contains(counts.delivered) && counts.rejected == 0
            && expected.unknown.contains(counts.unknown) && expected.failed.contains(counts.failed)
            && expected.lost.contains(counts.lost) && expected.twice.contains(counts.twice) && dead == fault.dead
        #expect(audit.violations.isEmpty, "\(cell): \(audit.violations.prefix(5))")
        #expect(isExpected, "\(cell): \(counts), \(dead) dead letters")
        // A table of happy ends proves nothing.
        #expect(!stage.proofs.isEmpty, "nothing proves that the fault struck")
        guard audit.violations.isEmpty, isExpected else { return }
        QueueFaultTable.shared.note(cell, stage.proofs)
    }
}
