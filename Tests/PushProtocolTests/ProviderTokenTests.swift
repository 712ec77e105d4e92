import Foundation
import ProcessRuntime
import PushProtocol
import Testing

@Suite struct ProviderTokenTests {
    private static let issuedAt: Int64 = 1_800_000_000
    private static let signature = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ 200) }

    private func make(issuedAt: Int64 = issuedAt) throws -> ProviderToken {
        try #require(
            ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAtSeconds: issuedAt) { _ in Self.signature })
    }

    private func decode(_ part: Substring) throws -> Data {
        var text = part.replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try #require(Data(base64Encoded: String(text)))
    }

    @Test func theTokenIsHeaderClaimsAndSignature() throws {
        let token = try make()
        let parts = token.jwt.split(separator: ".")
        #expect(parts.count == 3)
        #expect(try decode(parts[0]) == Data(#"{"alg":"ES256","kid":"ABC123DEFG"}"#.utf8))
        #expect(try decode(parts[1]) == Data(#"{"iss":"DEF123GHIJ","iat":1800000000}"#.utf8))
        #expect(try Array(decode(parts[2])) == Self.signature)
        #expect(!token.jwt.contains("="))
        #expect(token.headerValue == Array("bearer \(token.jwt)".utf8))
    }

    @Test func whatIsSignedIsTheFirstTwoParts() throws {
        var signed: [UInt8] = []
        let token = try #require(
            ProviderToken(keyID: "K", teamID: "T", issuedAtSeconds: 5) { input in
                signed = input
                return Self.signature
            })
        #expect(signed == ProviderToken.signingInput(keyID: "K", teamID: "T", issuedAtSeconds: 5))
        #expect(token.jwt.hasPrefix(String(decoding: signed, as: UTF8.self) + "."))
    }

    @Test func idsAreEscapedInTheJSON() throws {
        let input = ProviderToken.signingInput(keyID: "a\"b", teamID: "\\", issuedAtSeconds: -1)
        let parts = String(decoding: input, as: UTF8.self).split(separator: ".")
        let header = try JSONSerialization.jsonObject(with: decode(parts[0])) as? [String: String]
        #expect(header == ["alg": "ES256", "kid": "a\"b"])
        #expect(try decode(parts[1]) == Data(#"{"iss":"\\","iat":-1}"#.utf8))
    }

    @Test(arguments: [0, 63, 65, 72])
    func aSignatureOfAnotherLengthMakesNoToken(length: Int) {
        let token = ProviderToken(keyID: "K", teamID: "T", issuedAtSeconds: 0) { _ in
            [UInt8](repeating: 1, count: length)
        }
        #expect(token == nil)
    }

    @Test func aFailureOfTheSignerIsPassedOn() {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try ProviderToken(keyID: "K", teamID: "T", issuedAtSeconds: 0) { _ throws(Refused) in throw Refused() }
        }
    }

    @Test(
        "parity: E5 – renewed at 50 minutes, never sooner than 20, never later than 60",
        arguments: [
            // age, may renew, must renew, expired
            (-61, true, true, false), (-60, false, false, false), (0, false, false, false),
            (20 * 60 - 1, false, false, false), (20 * 60, true, false, false), (50 * 60 - 1, true, false, false),
            (50 * 60, true, true, false), (60 * 60 - 1, true, true, false), (60 * 60, true, true, true),
            (86_400, true, true, true),
        ] as [(Int64, Bool, Bool, Bool)])
    func theAgeDecides(age: Int64, mayRenew: Bool, mustRenew: Bool, isExpired: Bool) throws {
        let token = try make()
        let now = Date(unixSeconds: Self.issuedAt + age)
        #expect(token.age(at: now) == .seconds(age))
        #expect(token.issuedAt == Date(unixSeconds: Self.issuedAt))
        #expect(token.mayRenew(at: now) == mayRenew)
        #expect(token.mustRenew(at: now) == mustRenew)
        #expect(token.isFresh(at: now) == !mustRenew)
        #expect(token.isExpired(at: now) == isExpired)
    }

    @Test func aClockThatJumpsToItsEndsDoesNoHarm() throws {
        #expect(try make(issuedAt: .min).isExpired(at: .distantFuture))
        #expect(try make(issuedAt: .max).mustRenew(at: .distantPast))
        #expect(try make(issuedAt: .max).isExpired(at: .distantPast) == false)
    }

    @Test func noDescriptionShowsTheToken() throws {
        let token = try make()
        let own = try BearerToken("aaaaaa.bbbbbb.cccccc")
        var notification = PushNotification.alert(body: "b")
        notification.authorization = own
        var text = "\(token) \(String(reflecting: token)) \(own) \(String(reflecting: own)) \([token.bearer])"
        for value in [token, own, notification] as [Any] { dump(value, to: &text) }
        text += "\(notification) \(String(reflecting: notification))"
        #expect(!text.contains("eyJ"))
        #expect(!text.contains("bbbbbb"))
        #expect(!text.contains("\(own.headerValue[7]), \(own.headerValue[8])"))
        #expect(text.contains("ABC123DEFG"))
        #expect(own.jwt == "aaaaaa.bbbbbb.cccccc")
    }

    @Test func base64MatchesAnIndependentEncoder() {
        var generator = SeededGenerator(seed: 3)
        for length in 0...70 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let expected = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(String(decoding: Base64URL.encode(bytes), as: UTF8.self) == expected)
        }
    }

    @Test(
        "parity: E26 – the key id is the part after _ of the key file's name",
        arguments: [
            ("AuthKey_ABC123DEFG.p8", "ABC123DEFG"), ("/etc/keys/AuthKey_ABC123DEFG.p8", "ABC123DEFG"),
            ("./my_keys/AuthKey_x1.p8", "x1"), ("AuthKey_ABC", "ABC"), ("my_team_KEY42.pem", "KEY42"),
            ("AuthKey_.p8", nil), ("AuthKey.p8", nil), ("", nil), ("/", nil), ("my_keys/key.p8", nil),
            ("AuthKey_ABC (1).p8", nil), ("AuthKey_ÄBC.p8", nil), ("AuthKey_ABC123DEFG.p8/", nil),
        ] as [(String, String?)])
    func theKeyIDComesFromTheFileName(path: String, keyID: String?) {
        #expect(KeyFileName.keyID(in: path) == keyID)
    }
}
