import TestSupport
import Testing

/// Around the whole suite: writes the page or compares it, after the last cell.
struct FaultTableTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard let page = FaultTable.shared.page(FaultMatrix.chapters) else { return }
        let isTold = try FaultsPage.connections.says(page)
        #expect(isTold, "docs/faults.md is not what the run saw: run scripts/faults.sh and look at it")
    }
}
