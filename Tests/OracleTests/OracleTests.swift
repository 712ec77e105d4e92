import Foundation
import Testing

/// Random lives of a whole runtime, judged by two accounts: what callers were told, and what the simulator processed.
@Suite(.timeLimit(.minutes(30))) struct OracleTests {
    /// Twenty, or those that `SUPERVISED_PUSH_SEEDS` names: `7` or `1...300`.
    static let seeds = named.flatMap(range) ?? 1...20

    private static let named = ProcessInfo.processInfo.environment["SUPERVISED_PUSH_SEEDS"]

    private static func range(_ text: String) -> ClosedRange<UInt64>? {
        let bounds = text.components(separatedBy: "...").map { UInt64($0) }
        guard bounds.count <= 2, let first = bounds.first ?? nil, let last = bounds.last ?? nil, first <= last else {
            return nil
        }
        return first...last
    }

    @Test func theNamedSeedsAreUnderstood() {
        #expect(Self.named.map { Self.range($0) != nil } ?? true, "SUPERVISED_PUSH_SEEDS is not like 7 or 1...300")
    }

    @Test(
        "parity: F1, F4, F5, E12 – whatever happens, every push ends once and both accounts agree", .serialized,
        arguments: seeds)
    func bothAccountsAgree(seed: UInt64) async throws {
        var run = try OracleRun(seed: seed)
        let (violations, summary) = try await run.live()
        #expect(violations.isEmpty, "\(violations.count): \(violations.prefix(5))\n\(summary)")
        // A life without pushes, or in which all went well, proves nothing.
        #expect(summary.count >= 4 && summary["200", default: 0] > 0, "\(summary)")
    }
}
