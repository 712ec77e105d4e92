import Foundation
import Testing

@testable import pushctl

@Suite struct QueueTimeTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        ("90s", 1_800_000_090.0), ("15m", 1_800_000_900), ("2h", 1_800_007_200), ("1.5d", 1_800_129_600),
        ("1800000005", 1_800_000_005), ("2027-01-15T08:00:10Z", 1_800_000_010),
    ])
    func aTimeIsFromNowOrAPointInTime(_ text: String, _ seconds: Double) throws {
        #expect(try QueueTime(text).date(Self.now).timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["", "90", "-1h", "1e9", "h", "400d", "tomorrow", "1.2.3s", "0x10s"])
    func otherTextIsNoTime(_ text: String) {
        #expect(throws: (any Error).self) { try QueueTime(text) }
    }
}
