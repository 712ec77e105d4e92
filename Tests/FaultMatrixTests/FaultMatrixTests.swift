import Foundation
import SupervisedPush
import TestSupport
import Testing

/// All faults, chapter by chapter.
enum FaultMatrix {
    static let chapters = [
        brokenLinks, goodbyes, dialling, silence, streams, sentAgain, askedFor, credentials, answers, frames, floods,
        settings, windows,
        deadlines, perDevice, streamNumbers, endings,
    ]
    /// All cells, or those whose chapters or names contain what `SUPERVISED_PUSH_FAULT` says.
    static let cells = chapters.flatMap { chapter -> [Cell] in
        guard let wanted = ProcessInfo.processInfo.environment["SUPERVISED_PUSH_FAULT"] else { return chapter.cells }
        return chapter.cells.filter { "\(chapter.title) · \($0)".contains(wanted) }
    }
    /// The cells in two lanes that run beside one another, so that a machine with two cores is not half idle.
    static let lanes = (0...1).map { lane in cells.enumerated().filter { $0.offset % 2 == lane }.map(\.element) }
}

@Suite(
    "parity: E12, P5, F1, F8 – every fault, with either credential, under every load: both ledgers agree",
    FaultTableTrait())
struct FaultMatrixTests {
    @Test(.serialized, .timeLimit(.minutes(15)), arguments: FaultMatrix.lanes[0])
    func bothLedgersAgree(_ cell: Cell) async throws { try await play(cell) }

    @Test(.serialized, .timeLimit(.minutes(15)), arguments: FaultMatrix.lanes[1])
    func bothLedgersAgreeInTheOtherLane(_ cell: Cell) async throws { try await play(cell) }

    /// The table has a row for each key.
    @Test func eachCellHasAKeyOfItsOwn() {
        #expect(!FaultMatrix.cells.isEmpty, "SUPERVISED_PUSH_FAULT names no fault of this matrix")
        #expect(Set(FaultMatrix.cells.map(\.description)).count == FaultMatrix.cells.count)
    }

    private func play(_ cell: Cell) async throws {
        let stage = try await FaultStage(cell)
        try await cell.fault.story(stage)
        let audit = await stage.audit()
        let strike = stage.strike
        #expect(audit.violations.isEmpty, "\(audit.violations.prefix(5))")
        #expect(audit.counts == cell.fault.expected(cell), "\(stage.book.summary)")
        // A table of happy ends proves nothing.
        #expect(!strike.proofs.isEmpty, "nothing proves that the fault struck")
        #expect(strike.inFlight + strike.waiting > 0, "nothing was under way when the fault struck")
        FaultTable.shared.note(cell, FaultTable.Row(strike: strike, counts: audit.counts))
        await stage.end()
    }
}
