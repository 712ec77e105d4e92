import Testing

@testable import PushHTTP1

/// Files of gzip, which Python's zlib has made.
@Suite("parity: F27 – packed reports") struct GzipTests {
    private static let rows =
        "Push Type,Status,Date (UTC),Count\n"
        + (1...24).map { "alert,delivered,2026-11-\($0 < 10 ? "0" : "")\($0),\($0 * 1_000)\n" }.joined()
    /// Those rows, with a code of their own.
    private static let packedRows = bytes(
        """
        1f8b08000000000002037dd2c10a82401485e17d4fe1b2e00873ee8ca3aeed0182ec0104070aa442c7a0b74fdc777617febb
        fa389775b917fdf79d70cd435e179c879c8ae3adef4ee85eeb331f8629cd19639a1e9f34a711e62c9664e9083ae7fe77db4e
        d53dbcec0141f60a95ec1151f61ab5ec0d1ad95bb4aad3ed3ee261039482345012d283d290019488ac40a9c8084a46d6a074
        64034a48b6a09434b72f493c1026256ddba294340f93921660bbe40f6dc4b8f131030000
        """)
    /// Three times `a,b` and `1,2`, with the fixed code.
    private static let fixed = bytes("1f8b08000000000002034bd449e232d431e24a44a301bf0236d018000000")
    private static let stored = bytes("1f8b0800000000000403010f00f0ff73746f7265642061732069742069736578d15a0f000000")
    /// With the name of a file in its header.
    private static let named = bytes("1f8b08080000000002ff7265706f72742e63737600cb4bcc4d4de10200dcf07a4106000000")
    /// A hundred thousand zeros.
    private static let large = bytes(
        """
        1f8b0800000000000203edc13101000000c2a04aeb9fce1a1e40010000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000af0685c24dc5a0860100
        """)

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    private func text(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> String {
        String(decoding: try Gzip.unpacked(bytes, limit: limit), as: UTF8.self)
    }

    @Test func everyKindOfBlockIsUnpacked() throws {
        #expect(try text(Self.packedRows) == Self.rows)
        #expect(try text(Self.fixed) == String(repeating: "a,b\n1,2\n", count: 3))
        #expect(try text(Self.stored) == "stored as it is")
        #expect(try text(Self.named) == "named\n")
        #expect(try text(Self.large) == String(repeating: "0", count: 100_000))
    }

    @Test func filesOneBehindTheOtherAreOneText() throws {
        #expect(try text(Self.named + Self.stored) == "named\nstored as it is")
    }

    @Test func whatIsLongerThanAllowedIsRefused() throws {
        #expect(throws: Gzip.Problem.tooLong) { try Gzip.unpacked(Self.large, limit: 99_999) }
        #expect(throws: Gzip.Problem.tooLong) { try Gzip.unpacked(Self.stored, limit: 14) }
        #expect(try Gzip.unpacked(Self.stored, limit: 15).count == 15)
    }

    @Test func aDamagedFileIsRefusedWhereverTheDamageIs() {
        for file in [Self.packedRows, Self.fixed, Self.stored] {
            for length in stride(from: 0, to: file.count, by: 3) {
                #expect(throws: Gzip.Problem.self, "\(length)") {
                    try Gzip.unpacked(Array(file[..<length]), limit: 1 << 20)
                }
            }
            // The time, the system and the hints of the header mean nothing, and neither do the bits before a stored block.
            for index in file.indices where !(4...9).contains(index) && !(file == Self.stored && index == 10) {
                var damaged = file
                damaged[index] ^= 0x10
                #expect(throws: Gzip.Problem.self, "\(index)") { try Gzip.unpacked(damaged, limit: 1 << 20) }
            }
        }
    }
}
