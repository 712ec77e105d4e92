import Foundation
import PushLocking

/// The parts of `docs/faults.md`. Each fault matrix writes its own part, and compares it with what it saw.
package enum FaultsPage: CaseIterable, Sendable {
    /// The faults of a connection, from the top.
    case connections
    /// The faults of a queue and its workers, from their heading on.
    case queues

    /// The first line of ``queues``.
    package static let queuesHeading = "# Faults of a queue"

    /// Two matrices may end at the same time.
    private static let turn = Locked(())

    /// Whether the run writes the page instead of comparing it.
    private static let writes = ProcessInfo.processInfo.environment["SUPERVISED_PUSH_WRITE_FAULTS"] != nil

    private static var file: URL {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.appendingPathComponent("docs/faults.md")
    }

    /// Whether the page says this in its part. Where the run writes the page, it does so from now on.
    package func says(_ text: String) throws -> Bool { try Self.turn.withLock { _ in try saysAlone(text) } }

    private func saysAlone(_ text: String) throws -> Bool {
        let page = (try? String(contentsOf: Self.file, encoding: .utf8)) ?? ""
        let heading = page.range(of: "\n" + Self.queuesHeading + "\n")
        let cut = heading.map { page.index(after: $0.lowerBound) } ?? page.endIndex
        let parts = [Self.connections: String(page[..<cut]), .queues: String(page[cut...])]
        let body = text.trimmingCharacters(in: .newlines)
        if parts[self]?.trimmingCharacters(in: .newlines) == body { return true }
        guard Self.writes else { return false }
        let texts = Self.allCases.map { $0 == self ? body : (parts[$0] ?? "").trimmingCharacters(in: .newlines) }
        try (texts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n")
            .write(to: Self.file, atomically: true, encoding: .utf8)
        return true
    }
}
