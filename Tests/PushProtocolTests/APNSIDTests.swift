import Foundation
import ProcessRuntime
import PushProtocol
import Testing

@Suite struct APNSIDTests {
    @Test("parity: E9 – an apns-id can be made, and is a UUID")
    func madeIDsAreVersion4UUIDs() throws {
        var generator = SeededGenerator(seed: 7)
        var seen: Set<APNSID> = []
        for _ in 0..<2000 {
            let id = APNSID(using: &generator)
            let uuid = try #require(UUID(uuidString: id.description))
            #expect(uuid.uuidString.lowercased() == id.description)
            #expect(Array(id.description)[14] == "4")
            #expect("89ab".contains(Array(id.description)[19]))
            seen.insert(id)
        }
        #expect(seen.count == 2000)
        #expect(APNSID() != APNSID())
    }

    @Test func theHalvesAreWrittenBitForBit() {
        let id = APNSID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        var bytes: [UInt8] = [0x20]
        id.append(to: &bytes)
        #expect(bytes == Array(" 01234567-89ab-cdef-fedc-ba9876543210".utf8))
    }

    @Test func readingIsLenientOnCaseAndVersion() throws {
        let upper = try #require(APNSID("9CC486EA-EA83-9351-40DF-0A1B2C3D4E5F"))
        #expect(upper == APNSID("9cc486ea-ea83-9351-40df-0a1b2c3d4e5f"))
        #expect(upper.description == "9cc486ea-ea83-9351-40df-0a1b2c3d4e5f")
    }

    @Test(arguments: [
        "", "9cc486ea", "9cc486eaea83935140df0a1b2c3d4e5f", "9cc486ea-ea83-9351-40df-0a1b2c3d4e5",
        "9cc486ea-ea83-9351-40df-0a1b2c3d4e5f0", "9cc486eag-ea8-9351-40df-0a1b2c3d4e5f",
        "9cc486ea-ea83-9351-40df-0a1b2c3d4e5g", "9cc486ea-ea83-9351-40df 0a1b2c3d4e5f",
        "{9cc486ea-ea83-9351-40df-0a1b2c3d4e}",
    ])
    func anythingElseIsNoID(text: String) {
        #expect(APNSID(text) == nil)
    }

    @Test func writtenIDsAreReadBack() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let id = APNSID(high: generator.next(), low: generator.next())
            #expect(APNSID(id.description) == id)
            #expect(APNSID(id.description.uppercased()) == id)
        }
    }
}
