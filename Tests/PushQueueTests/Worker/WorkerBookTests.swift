import Foundation
import ProcessRuntime
import SupervisedPush
import Testing

@testable import PushQueue

@Suite struct WorkerBookTests {
    private func deadline(_ seconds: Double) throws -> MonotonicInstant? {
        let entry = try EntryFieldsTests.entry { $0.deadline = Date(timeIntervalSince1970: seconds) }
        return WorkerMachine.Facts(TakenEntry(TakenEntry.Key("a"), .success(entry)), SystemTime()).deadline
    }

    @Test func aDeadlineWithoutEndIsTheLastInstant() throws {
        #expect(try deadline(.infinity) == .distantFuture)
        #expect(try deadline(1e300) == .distantFuture)
        #expect(try #require(try deadline(-.infinity)) < SystemTime().now)
    }

    @Test func aDeadlineThatIsNoNumberIsNone() throws { #expect(try deadline(.nan) == nil) }
}
