import Foundation
import PushLocking
import Testing

/// What the run saw, and the page it makes of it: `docs/faults.md`.
///
/// The page is written when `SUPERVISED_PUSH_WRITE_FAULTS` is set (`scripts/faults.sh`); otherwise a whole run compares
/// what it saw with the page that is there.
final class FaultTable: Sendable {
    static let shared = FaultTable()
    private let rows = Locked<[String: Row]>([:])

    struct Row: Sendable {
        let strike: FaultStage.Strike
        let counts: Counts
    }

    func note(_ cell: Cell, _ row: Row) { rows.withLock { $0[cell.description] = row } }

    /// The page; nil unless every cell was seen.
    func page(_ chapters: [FaultChapter]) -> String? {
        let rows = rows.withLock { $0 }
        guard chapters.flatMap(\.cells).allSatisfy({ rows[$0.description] != nil }) else { return nil }
        var lines = [Self.introduction] + Self.summary(chapters, rows) + [""]
        for chapter in chapters {
            lines += ["## \(chapter.title)", "", chapter.remark, "", Self.head]
            for fault in chapter.faults { lines += self.lines(fault, rows) }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    /// A line for each chapter: after how many of its faults a push ended unknown, or was accepted twice.
    private static func summary(_ chapters: [FaultChapter], _ rows: [String: Row]) -> [String] {
        var lines = [
            "## In short", "",
            "For each kind of fault: how many there are, and after how many of them a push ended unknown, or was accepted twice.",
            "Twice is only what the caller asked for.", "",
            "| kind | faults | unknown after | twice after |", "|---|--:|--:|--:|",
        ]
        for chapter in chapters {
            func faults(where isSo: (Counts) -> Bool) -> String {
                let count = chapter.faults.count { fault in
                    FaultChapter(title: "", remark: "", faults: [fault]).cells.contains { cell in
                        rows[cell.description].map { isSo($0.counts) } ?? false
                    }
                }
                return count == 0 ? "–" : "\(count)"
            }
            // As GitHub makes an anchor of a heading.
            let anchor = chapter.title.lowercased().replacing(" ", with: "-").filter {
                $0.isLetter || $0 == "-" || $0.isNumber
            }
            lines.append(
                "| [\(chapter.title)](#\(anchor)) | \(chapter.faults.count) | \(faults { $0.unknown > 0 }) "
                    + "| \(faults { $0.repeated > 0 }) |")
        }
        return lines
    }

    private func lines(_ fault: FaultCase, _ rows: [String: Row]) -> [String] {
        var lines: [String] = []
        var proofs: Set<String> = []
        for load in fault.loads {
            let seen = fault.credentials.compactMap { credential in
                rows[Cell(fault: fault, credential: credential, load: load).description].map { (credential, $0) }
            }
            for proof in seen.flatMap(\.1.strike.proofs) { proofs.insert(proof) }
            // Where both credentials see the same, one line says so.
            let isOne =
                Set(seen.map(\.1.counts)).count == 1 && Set(seen.map(\.1.strike.inFlight)).count == 1
                && Set(seen.map(\.1.strike.waiting)).count == 1
            for (credential, row) in isOne ? Array(seen.prefix(1)) : seen {
                let who = isOne && seen.count == 2 ? "both" : credential.description
                lines.append(Self.line(who, row))
            }
        }
        guard !lines.isEmpty else { return [] }
        let what = "**\(fault.name)**<br>seen: \(proofs.sorted().joined(separator: "; "))"
        return lines.enumerated().map { "| \($0.offset == 0 ? what : "") \($0.element)" }
    }

    private static func line(_ who: String, _ row: Row) -> String {
        let counts = row.counts
        let numbers = [
            row.strike.inFlight, row.strike.waiting, counts.delivered, counts.rejected, counts.notSent,
            counts.unprocessed, counts.unknown, counts.processed, counts.repeated,
        ]
        return "| \(who) | " + numbers.map { $0 == 0 ? "–" : "\($0)" }.joined(separator: " | ") + " |"
    }

    private static let head = """
        | fault | credential | in flight | waiting | delivered | rejected | not sent | unprocessed | unknown | \
        processed | twice |
        |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
        """

    private static let introduction = """
        # Faults

        What becomes of pushes when something goes wrong. This page is written by the tests in `Tests/FaultMatrixTests`
        (`scripts/faults.sh`), and every run of them checks that it still says what they see.

        Each line is a connection that is up, with this many pushes **in flight** and **waiting** at the moment the
        fault strikes; the test proves that it does. Then every push ends exactly once, as **delivered** or **rejected**
        (answered), **not sent**, **unprocessed** or **unknown**. **Processed** is what stands in the simulator's own
        ledger, **twice** how many pushes were accepted there more than once. For each push both ledgers are compared: nothing is
        called delivered that was not accepted, nothing is called not sent or unprocessed that was processed, nothing is
        processed twice unless the caller asked for it, and each link got the pushes in call order.

        Clock and network are manual, so the numbers are exact and the same in every run. Where a line says "both", the
        connection with a provider token and the one with a certificate saw the same.

        """
}
