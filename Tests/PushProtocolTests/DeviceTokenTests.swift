import PushProtocol
import Testing

@Suite struct DeviceTokenTests {
    static let text = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e9f00"

    @Test func everyByteIsADigitOrNotWhereverItStands() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min...UInt8.max {
            for position in [0, 1, 7, 8, 9, 15, 16, 17] {
                var text = Array(repeating: UInt8(ascii: "a"), count: 18)
                text[position] = byte
                guard let hex = String(validating: text, as: UTF8.self) else { continue }
                #expect(((try? DeviceToken(hex)) != nil) == digits.contains(byte), "\(byte) at \(position)")
            }
        }
    }

    @Test func everyEvenLengthUpTo512IsAccepted() throws {
        for length in stride(from: 2, through: 512, by: 2) {
            let hex = String(repeating: "aF", count: length / 2)
            #expect(try DeviceToken(hex).hex == hex)
        }
    }

    @Test(arguments: [
        ("", InvalidDeviceToken.Problem.empty),
        ("abc", .oddLength(digits: 3)),
        ("ab cd", .notHexadecimal(offset: 2)),
        ("<abcd>", .notHexadecimal(offset: 0)),
        ("abcg", .notHexadecimal(offset: 3)),
        ("ab\u{0}d", .notHexadecimal(offset: 2)),
        ("äb", .notHexadecimal(offset: 0)),
        ("../../x", .notHexadecimal(offset: 0)),
        (String(repeating: "ab", count: 257), .tooLong(digits: 514)),
    ])
    func anythingElseIsRefusedWithItsProblem(text: String, problem: InvalidDeviceToken.Problem) {
        let error = #expect(throws: InvalidDeviceToken.self) { try DeviceToken(text) }
        #expect(error?.problem == problem)
        #expect(error.map { text.count < 4 || !"\($0)".contains(text) } == true)
    }

    @Test(
        arguments: [
            ("LrXX55040oVLHzQqHUmyWlwhT4ZdU97XbF8YGuOp3bo=", "base64"),
            ("LrXX55040oVLHzQqHUmyWlwhT4ZdU97XbF8YGuOp3bo", "base64"),
            ("LrXX55040oVLHzQqHUmyWlwhT4ZdU97XbF8YGuOp3b-_", nil),
            ("-_XX55040oVLHzQqHUmyWlwhT4ZdU97XbF8YGuOp3bo=", "base64"),
            (String(repeating: "QUJD", count: 26) + "QQ==", "base64"),
            ("eSlF2WpGFnI:APA91b" + String(repeating: "xY_-0", count: 26), "Firebase"), ("a:b", nil),
            ("ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "Expo"), ("ExpoPushToken[x]", "Expo"),
            ("123e4567-e89b-12d3-a456-426614174000", "UUID"), ("123E4567-E89B-12D3-A456-426614174000", "UUID"),
            ("123e4567-e89b-12d3-a456-42661417400", nil), ("<c63963fd fdafa1b9>", nil), ("(null)", nil), ("QUJD", nil),
            (String(repeating: "ab", count: 31) + "ag", nil), (String(repeating: "ab", count: 21) + "g", nil),
        ] as [(String, String?)])
    func aTokenOfAnotherKindIsNamedAndNotShown(text: String, kind: String?) {
        let error = #expect(throws: InvalidDeviceToken.self) { try DeviceToken(text) }
        guard case .notHexadecimal? = error?.problem else {
            Issue.record("\(error as Any)")
            return
        }
        let sentence = "\(error as InvalidDeviceToken?, default: "")"
        #expect(sentence.contains("looks like") == (kind != nil), "\(sentence)")
        if let kind { #expect(sentence.contains(kind), "\(sentence)") }
        #expect(text.count < 8 || !sentence.contains(text.dropFirst(text.hasPrefix("Expo") ? 14 : 0)))
    }

    @Test func aSubstringIsTaken() throws {
        #expect(try DeviceToken("token=abcd".suffix(4)).hex == "abcd")
    }

    @Test func caseIsKeptAndDoesNotMatterForEquality() throws {
        let lower = try DeviceToken(Self.text)
        let upper = try DeviceToken(Self.text.uppercased())
        #expect(upper.hex == Self.text.uppercased())
        #expect(lower == upper)
        #expect(lower.hashValue == upper.hashValue)
        #expect(Set([lower, upper]).count == 1)
    }

    @Test(arguments: ["ab", "0123456789", "a1b2c3d4e5f607182930"])
    func everyDigitCountsForEquality(text: String) throws {
        let token = try DeviceToken(text)
        for index in text.indices {
            var other = text
            other.replaceSubrange(index...index, with: text[index] == "f" ? "e" : "f")
            #expect(try DeviceToken(other) != token)
        }
        #expect(try DeviceToken(text + "00") != token)
    }

    @Test func bytesAndDigitsAreTheSame() throws {
        let bytes: [UInt8] = [0x00, 0xff, 0x1a, 0xc0]
        let token = try DeviceToken(bytes: bytes)
        #expect(token.hex == "00ff1ac0")
        #expect(token.bytes == bytes)
        #expect(try DeviceToken("00FF1AC0").bytes == bytes)
        #expect(throws: InvalidDeviceToken.self) { try DeviceToken(bytes: []) }
        #expect(throws: InvalidDeviceToken.self) { try DeviceToken(bytes: [UInt8](repeating: 0, count: 257)) }
    }

    @Test func noDescriptionShowsTheWholeToken() throws {
        let token = try DeviceToken(Self.text)
        #expect(token.description == "a1b2…9f00")
        var dumped = ""
        dump(token, to: &dumped)
        for text in [dumped, String(reflecting: token), "\([token])", String(describing: Optional(token))] {
            #expect(!text.contains(Self.text.dropFirst(6).prefix(12)))
        }
        #expect(try DeviceToken("a1b2c3d4").description == "(8 digits)")
    }
}
