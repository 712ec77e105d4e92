import ProcessRuntime
import PushProtocol
import Testing

/// JSON from a peer that means harm: read within bounds, or not at all.
@Suite struct HostileJSONTests {
    private func rejection(_ text: String) -> ResponseDecoder.Rejection? {
        ResponseDecoder.rejection(in: Array(text.utf8))
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func deepNestingSaysNothingAndCostsNoStack(opening: String) {
        let count = ResponseDecoder.maxBodyBytes / opening.utf8.count
        #expect(rejection("{\"x\":" + String(repeating: opening, count: count - 10)) == nil)
        let inReason = "{\"reason\":" + String(repeating: opening, count: count - 10)
        #expect(rejection(inReason) == nil)
        #expect(ResponseDecoder.goAwayReason(Array(inReason.utf8)) == nil)
    }

    @Test func nestingUpToTheBoundIsPassedOver() {
        let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        #expect(rejection("{\"x\":\(deep),\"reason\":\"BadDeviceToken\"}")?.reason == .badDeviceToken)
    }

    @Test(arguments: [
        "1e400", "-1e400", "1e-400", "1e99999999999999999999", "99999999999999999999999999", "-1", "0", "-0", "0.5",
        "1.7e308",
        "9223372036854775808", "\"9223372036854775808\"", "\"1e400\"", "\"nan\"", "\"inf\"", "\"\"", "true", "[1]",
        "\"\(String(repeating: "9", count: 10_000))\"",
    ])
    func noTimestampIsMadeOfWhatIsNone(number: String) {
        let found = rejection("{\"reason\":\"Unregistered\",\"timestamp\":\(number)}")
        #expect(found?.timestamp == nil)
        // A number beyond what a number is makes the whole text no JSON that we read.
        #expect(found == nil || found?.reason == .unregistered)
    }

    @Test func aLongNumberIsANumber() {
        let digits = "0." + String(repeating: "1", count: 10_000)
        #expect(rejection("{\"x\":\(digits),\"reason\":\"BadTopic\"}")?.reason == .badTopic)
    }

    @Test(
        arguments: [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf]] as [[UInt8]]
    )
    func invalidUTF8IsNoReasonThatCouldBeMistakenForAnother(bytes: [UInt8]) {
        let body = Array(#"{"reason":"BadDevice"#.utf8) + bytes + Array(#"Token"}"#.utf8)
        #expect(ResponseDecoder.rejection(in: body)?.reason != .badDeviceToken)
        let name = Array("{\"".utf8) + bytes + Array(#"reason":"BadDeviceToken"}"#.utf8)
        #expect(ResponseDecoder.rejection(in: name)?.reason == nil)
    }

    @Test(arguments: ["a\\nb", "a\\u0000b", "\\u001b[2J", "a\\rb", "\\u0085", String(repeating: "x", count: 129)])
    func whatCouldForgeALineIsNoReason(text: String) {
        let found = rejection("{\"reason\":\"\(text)\"}")
        #expect(found != nil && found?.reason == nil)
    }

    @Test func manyMembersOfOneNameAreReadInOneGo() {
        let members = Array(repeating: #""reason":"Shutdown""#, count: 800).joined(separator: ",")
        #expect(rejection("{\(members)}")?.reason == .shutdown)
    }

    @Test func mutatedRejectionsAreReadWithoutHarm() {
        var generator = SeededGenerator(seed: 77)
        let seeds = [
            #"{"reason":"Unregistered","timestamp":1700000000000}"#, #"{"reason":"BadDeviceToken"}"#,
            #"{"timestamp":1.7e12,"x":[{"y":null},"\ud83d\ude00"],"reason":"Shutdown"}"#,
        ].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default: bytes.removeLast(bytes.count - index)
                }
            }
            guard let found = ResponseDecoder.rejection(in: bytes) else { continue }
            #expect((found.timestamp ?? 1) > 0)
            #expect((found.reason?.rawValue.utf8.count ?? 0) <= ResponseDecoder.maxReasonBytes)
        }
    }
}
