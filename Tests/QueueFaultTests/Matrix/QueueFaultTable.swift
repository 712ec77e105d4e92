import PushLocking

/// The second part of `docs/faults.md`. A fault stands in it once each of its cells has been judged.
final class QueueFaultTable: Sendable {
    static let shared = QueueFaultTable()
    private let proofs = Locked<[String: [String]]>([:])

    /// Its run was as expected.
    ///
    /// - Parameter proofs: What shows that the fault struck.
    func note(_ cell: QueueCell, _ proofs: [String]) { self.proofs.withLock { $0[cell.description] = proofs } }

    /// The part; nil unless every cell was seen.
    func page(_ chapters: [QueueFaultChapter]) -> String? {
        let proofs = proofs.withLock { $0 }
        guard chapters.flatMap(\.cells).allSatisfy({ proofs[$0.description] != nil }) else { return nil }
        var lines = [Self.introduction]
        for chapter in chapters {
            lines += ["## \(chapter.title)", "", chapter.remark, "", Self.head]
            lines += chapter.faults.map { Self.line($0, proofs) }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ fault: QueueFault, _ proofs: [String: [String]]) -> String {
        let cells = fault.stores.map { QueueCell(fault: fault, store: $0) }
        var seen: [String] = []
        for proof in cells.flatMap({ proofs[$0.description] ?? [] }) where !seen.contains(proof) { seen.append(proof) }
        let stores = fault.stores.count == StoreKind.allCases.count ? "both" : fault.stores.map(\.rawValue).joined()
        let expected = fault.expected
        let dead = QueueFault.Bound.exactly(fault.dead)
        let numbers: [QueueFault.Bound] = [
            .exactly(fault.put), expected.delivered, expected.unknown, expected.failed, dead, expected.lost,
            expected.twice,
        ]
        return "| **\(fault.name)**<br>seen: \(seen.joined(separator: "; ")) | \(stores) | "
            + numbers.map(\.description).joined(separator: " | ") + " |"
    }

    private static let head = """
        | fault | store | put | delivered | unknown | failed | dead | lost | twice |
        |---|---|--:|--:|--:|--:|--:|--:|--:|
        """

    private static let introduction = """
        # Faults of a queue

        What becomes of pushes in a [queue](queue.md) when workers, servers and networks fail. This part is written by the
        tests in `Tests/QueueFaultTests` (`scripts/faults.sh`), and every run of them checks that it still says what they
        see.

        The queue is a file of SQLite, or on a real `redis-server`. Workers are real ones: `pushctl worker` where a process
        is killed or paused, and otherwise objects in the test's process. **Put** is the number of tokens that the queue
        acknowledged. Each has one outcome, **delivered**, **unknown** or **failed**, or is **lost** with the store.
        **Dead** counts entries that became dead letters. **Twice** is how many tokens APNs accepted more than once.
        "Some" is at least one, where the number depends on the moment.

        One judge compares what the queue acknowledged, the outcomes in the store, and the simulators' ledgers: a token has
        at most one outcome; what is called delivered was accepted, what is called failed was not; no more tokens were
        pushed twice than were reported as in doubt; and, where a process was killed or paused, nothing was pushed whose
        outcome had been recorded before.

        """
}

/// Faults of one kind: a table of the page.
struct QueueFaultChapter: Sendable {
    let title: String
    /// What the faults have in common.
    let remark: String
    let faults: [QueueFault]

    var cells: [QueueCell] { faults.flatMap { fault in fault.stores.map { QueueCell(fault: fault, store: $0) } } }
}
