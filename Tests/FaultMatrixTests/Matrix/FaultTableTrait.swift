import Foundation
import Testing

/// Around the whole suite: writes the page or compares it, after the last cell.
struct FaultTableTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard let page = FaultTable.shared.page(FaultMatrix.chapters) else { return }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("docs/faults.md")
        if ProcessInfo.processInfo.environment["SUPERVISED_PUSH_WRITE_FAULTS"] != nil {
            try page.write(to: file, atomically: true, encoding: .utf8)
        } else {
            let written = try? String(contentsOf: file, encoding: .utf8)
            #expect(written == page, "docs/faults.md is not what the run saw: run scripts/faults.sh and look at it")
        }
    }
}
