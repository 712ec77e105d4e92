import TestSupport
import Testing

/// Around the whole suite: writes its part of the page or compares it, after the last cell.
struct QueueFaultTableTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        // The numbers on the page are those of the usual size.
        guard !QueueFaultMatrix.isLarger, let page = QueueFaultTable.shared.page(QueueFaultMatrix.chapters) else {
            return
        }
        let isTold = try FaultsPage.queues.says(page)
        #expect(isTold, "docs/faults.md is not what the run saw: run scripts/faults.sh and look at it")
    }
}
