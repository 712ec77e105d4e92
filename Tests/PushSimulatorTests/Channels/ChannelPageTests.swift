import Foundation
import Testing

@testable import PushSimulator

/// The page about broadcasts says what the checks do.
@Suite struct ChannelPageTests {
    /// The lines of the page's tables that begin with a number: those of a broadcast, then those of management.
    private static func tables() throws -> (broadcast: [String], management: [String]) {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("docs/broadcast.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "Channel management. Rows 1 and 4 to 14 are those of a broadcast:")
        try #require(parts.count == 2)
        let rows = parts.map { $0.components(separatedBy: "\n").filter { $0.firstMatch(of: /^\| \d+ \|/) != nil } }
        return (rows[0], rows[1])
    }

    private func expect(_ fault: ChannelChecksTests.Fault, in rows: [String]) {
        let answers = rows.filter { $0.hasPrefix("| \(fault.row) |") }
        let answer = "\(fault.refusal.status) `\(fault.refusal.rawValue)`"
        // A row may name a second reason without its status, which is the first one's.
        let isSaid = answers.contains { $0.contains(answer) || $0.contains(", `\(fault.refusal.rawValue)`") }
        #expect(isSaid, "\(fault.testDescription): \(answer)")
    }

    @Test("parity: F11 – the page has each check with its answer") func thePageHasEachCheckWithItsAnswer() throws {
        let (broadcast, management) = try Self.tables()
        #expect(broadcast.count == ChannelChecks.broadcast.count)
        for fault in ChannelChecksTests.broadcast where fault.name != "injected" { expect(fault, in: broadcast) }
        for fault in ChannelChecksTests.management where fault.name != "injected" {
            let isShared = fault.row == 1 || (4...14).contains(fault.row)
            expect(fault, in: isShared ? broadcast : management)
        }
    }
}
