import Foundation
import PushTerminal
import SupervisedPush
import Testing

@testable import PushCampaign

@Suite("parity: F27 – the counts of an outcomes file") struct OutcomesTallyTests {
    private func tally(_ rows: String) throws -> Tally {
        let path = NSTemporaryDirectory() + "/outcomes-\(UUID().uuidString).csv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(rows.utf8).write(to: URL(fileURLWithPath: path))
        return try Tally(outcomes: path)
    }

    @Test func theLastRowOfALineCounts() throws {
        let tally = try tally(
            """
            line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty
            2,aa,delivered,200,,,,1,answered
            3,bb,failed,,expired,,,0,not_sent
            4,cc,rejected,410,Unregistered,,,1,answered
            5,dd,unknown,,timed_out,,,1,unknown
            3,bb,delivered,200,,,,1,answered
            5,dd,rejected,400,BadDeviceToken,,,1,answered

            """)
        #expect(tally.delivered == 2 && tally.rejected == 2 && tally.failed == 0 && tally.unknown == 0)
        #expect(tally.reasons(of: .rejected).map(\.reason) == ["BadDeviceToken", "Unregistered"])
    }

    @Test func anotherFileIsRefused() {
        let error = #expect(throws: CommandError.self) { try tally("a,b\n1,2\n") }
        #expect(error?.status == .input)
    }
}
