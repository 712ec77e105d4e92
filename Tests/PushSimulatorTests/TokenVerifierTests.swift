import Testing

@testable import PushSimulator

@Suite struct TokenVerifierTests {
    let credentials: ThrowAwayCredentials
    let verifier: TokenVerifier
    let maker: TokenMaker

    init() throws {
        credentials = try ThrowAwayCredentials(keyID: "KEYAAAAAAA", teamID: "TEAMAAAAAA")
        verifier = TokenVerifier(keys: [try credentials.signingKey()])
        maker = TokenMaker(
            keyID: credentials.keyID, teamID: credentials.teamID,
            key: try #require(KeyObject(pem: credentials.signingKeyPEM)))
    }

    private func octets(_ text: String) -> Octets { Octets(Array(text.utf8)) }

    @Test func aGoodTokenSaysWhenItWasIssued() throws {
        let token = try credentials.providerToken(issuedAt: Date(timeIntervalSince1970: 1_700_000_000))
        let verified = try #require(verifier.verify(octets(token)))
        #expect(verified.issuedAt == 1_700_000_000)
        #expect(verified.key.teamID == "TEAMAAAAAA")
        #expect(verifier.verify(octets(token)) != nil)
    }

    /// DER and the raw form of RFC 7518 differ by nothing but their shape.
    @Test func theRawSignatureIsAsGoodAsDER() throws {
        let token = try credentials.providerToken(issuedAt: Date(timeIntervalSince1970: 1_700_000_000))
        let parts = token.split(separator: ".")
        let der = try #require(Base64URL.decode(octets(String(parts[2]))))
        let raw = try rawSignature(der)
        #expect(raw.count == 64)
        let other = parts[0] + "." + parts[1] + "." + Base64URL.encode(raw)
        #expect(verifier.verify(octets(other)) != nil)
        var spoiled = raw
        spoiled[40] ^= 1
        #expect(verifier.verify(octets(parts[0] + "." + parts[1] + "." + Base64URL.encode(spoiled))) == nil)
    }

    @Test(arguments: [
        #"{"alg":"ES384","kid":"KEYAAAAAAA"}"#, #"{"alg":"none","kid":"KEYAAAAAAA"}"#, #"{"kid":"KEYAAAAAAA"}"#,
        #"{"alg":"ES256","kid":"KEYBBBBBBB"}"#, #"{"alg":"ES256"}"#, "[]", "no JSON", "",
    ])
    func headersThatAreNotGood(_ header: String) throws {
        let token = try maker.token(header: header, claims: #"{"iss":"TEAMAAAAAA","iat":1700000000}"#)
        #expect(verifier.verify(octets(token)) == nil)
    }

    @Test(arguments: [
        #"{"iss":"TEAMBBBBBB","iat":1700000000}"#, #"{"iss":"TEAMAAAAAA"}"#, #"{"iat":1700000000}"#,
        #"{"iss":"TEAMAAAAAA","iat":"1700000000"}"#, "",
    ])
    func claimsThatAreNotGood(_ claims: String) throws {
        let token = try maker.token(header: #"{"alg":"ES256","kid":"KEYAAAAAAA"}"#, claims: claims)
        #expect(verifier.verify(octets(token)) == nil)
    }

    @Test func aHeaderWithATypeAndADateWithAFractionAreGood() throws {
        let token = try maker.token(
            header: #"{"alg":"ES256","kid":"KEYAAAAAAA","typ":"JWT"}"#,
            claims: #"{"iat":1700000000.5,"iss":"TEAMAAAAAA"}"#)
        #expect(verifier.verify(octets(token))?.issuedAt == 1_700_000_000.5)
    }

    @Test func tokensOfAnotherShapeAreNotGood() throws {
        let token = try credentials.providerToken(issuedAt: Date(timeIntervalSince1970: 1_700_000_000))
        let parts = token.split(separator: ".").map(String.init)
        for wrong in [
            "", ".", "..", parts[0] + "." + parts[1], token + ".", "." + token, token + "=", token + "!",
            String(token.dropLast()),
            parts[0] + "." + parts[1] + ".", parts[1] + "." + parts[0] + "." + parts[2],
        ] {
            #expect(verifier.verify(octets(wrong)) == nil, "\(wrong)")
        }
    }

    @Test func aTokenOfAnotherKeyWithTheSameIDIsNotGood() throws {
        let other = try ThrowAwayCredentials(keyID: "KEYAAAAAAA", teamID: "TEAMAAAAAA")
        #expect(
            verifier.verify(octets(try other.providerToken(issuedAt: Date(timeIntervalSince1970: 1_700_000_000))))
                == nil)
    }

    @Test func everyCutTokenIsRefusedWithoutHarm() throws {
        let token = Array(try credentials.providerToken(issuedAt: Date(timeIntervalSince1970: 1_700_000_000)).utf8)
        for count in 0..<token.count {
            #expect(verifier.verify(token[..<count]) == nil)
        }
    }

    @Test func base64URLIsReversible() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
            #expect(Base64URL.decode(octets(Base64URL.encode(bytes))) == bytes)
        }
        #expect(Base64URL.decode(octets("A")) == nil)
        #expect(Base64URL.decode(octets("ab+/")) == nil)
    }

    private func rawSignature(_ der: [UInt8]) throws -> [UInt8] {
        var numbers: [[UInt8]] = []
        var position = 2
        for _ in 0..<2 {
            try #require(der[position] == 2)
            let count = Int(der[position + 1])
            let digits = der[(position + 2)..<(position + 2 + count)].drop { $0 == 0 }
            numbers.append([UInt8](repeating: 0, count: 32 - digits.count) + digits)
            position += 2 + count
        }
        return numbers.flatMap(\.self)
    }
}
