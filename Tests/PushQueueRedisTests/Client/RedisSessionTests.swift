import ProcessRuntime
import PushQueue
import Testing

@testable import PushQueueRedis

@Suite struct RedisSessionTests {
    /// Feeds the text in pieces of these sizes, the last of which repeats.
    private func read(_ text: String, pieces: [Int] = [.max], limit: Int = 1 << 20) throws -> [RedisReply] {
        let session = try RedisSession(limit: limit)
        var replies: [RedisReply] = []
        var rest = Array(text.utf8)[...]
        var sizes = pieces[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(max(1, sizes.first ?? 1)))
            rest = rest.dropFirst(piece.count)
            if sizes.count > 1 { sizes = sizes.dropFirst() }
            try piece.withUnsafeBytes { try session.receive($0, into: &replies) }
        }
        return replies
    }

    private static let text =
        "+OK\r\n-ERR no\r\n:-42\r\n$5\r\nhe\r\no\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"
        + "*3\r\n:1\r\n*2\r\n$1\r\na\r\n*0\r\n+x\r\n:9\r\n"
    private static let replies: [RedisReply] = [
        .status("OK"), .error("ERR no"), .integer(-42), .bytes(Array("he\r\no".utf8)), .bytes([]), .null, .null,
        .array([]), .array([.integer(1), .array([.bytes([0x61]), .array([])]), .status("x")]), .integer(9),
    ]

    @Test func repliesOfAllKindsAreRead() throws {
        #expect(try read(Self.text) == Self.replies)
    }

    @Test func bytesMayComeOneByOne() throws {
        #expect(try read(Self.text, pieces: [1]) == Self.replies)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func bytesMayComeInAnyPieces(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = (0..<100).map { _ in Int.random(in: 1...12, using: &generator) }
        #expect(try read(Self.text, pieces: pieces) == Self.replies)
    }

    @Test func aLargeReplyIsReadFromManyPieces() throws {
        let bytes = [UInt8](repeating: 0x7a, count: 900_000)
        let text = "$\(bytes.count)\r\n" + String(decoding: bytes, as: UTF8.self) + "\r\n:1\r\n"
        #expect(try read(text, pieces: [70_001]) == [.bytes(bytes), .integer(1)])
    }

    @Test func listsInListsAreReadToADepthOfSeven() throws {
        let text = String(repeating: "*1\r\n", count: 7) + ":1\r\n"
        let expected = (0..<7).reduce(RedisReply.integer(1)) { reply, _ in .array([reply]) }
        #expect(try read(text) == [expected])
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", ":12a\r\n", String(repeating: "*1\r\n", count: 12) + ":1\r\n",
        "$-5\r\n", "\u{15}\u{3}\u{3}\u{0}", ":99999999999999999999999\r\n",
    ])
    func bytesOfAnotherProtocolAreAnError(text: String) throws {
        #expect(throws: RedisFailure.self) { try read(text) }
    }

    @Test(arguments: [",3.14\r\n", "*2\r\n#t\r\n:1\r\n", "%1\r\n+a\r\n:1\r\n:2\r\n"])
    func typesOfRESP3AreNeverTakenForOthers(text: String) throws {
        // Version 0.14 of the library refuses them, later ones read them.
        let replies = try? read(text)
        #expect(replies == nil || replies == [] || text.hasPrefix("%"))
    }

    @Test func repliesBeforeAnErrorAreKeptAndNothingFollows() throws {
        let session = try RedisSession()
        var replies: [RedisReply] = []
        let bytes = Array(":1\r\n:2\r\n?".utf8)
        #expect(throws: RedisFailure.self) { try bytes.withUnsafeBytes { try session.receive($0, into: &replies) } }
        #expect(replies == [.integer(1), .integer(2)])
        let more = Array(":3\r\n".utf8)
        #expect(throws: RedisFailure.self) { try more.withUnsafeBytes { try session.receive($0, into: &replies) } }
        #expect(replies.count == 2)
    }

    @Test func aReplyAboveTheLimitIsAnError() throws {
        let text = "$300000\r\n" + String(repeating: "a", count: 300_000) + "\r\n"
        #expect(try read(text, pieces: [1_000]).count == 1)
        let failure = #expect(throws: RedisFailure.self) { try read(text, pieces: [1_000], limit: 200_000) }
        #expect(failure?.description.contains("reply of more than") == true)
    }

    @Test func theLengthOfAListTakesNoMemory() throws {
        #expect(try read("*2147483647\r\n:1\r\n").isEmpty)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func noBytesBreakTheReader(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let session = try RedisSession(limit: 10_000)
        let signs = Array("*$:+-0123456789\r\n\r\n\r\nab".utf8)
        var replies: [RedisReply] = []
        for _ in 0..<50 {
            let piece = (0..<20).map { _ in signs[Int.random(in: 0..<signs.count, using: &generator)] }
            do { try piece.withUnsafeBytes { try session.receive($0, into: &replies) } } catch { return }
        }
    }

    @Test func commandsAreListsOfStrings() {
        var bytes: [UInt8] = []
        RedisCommand("SET", "k", "").append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n")
    }

    @Test(arguments: [0, 1, 9, 10, 11, 99, 100, 12_345])
    func theSizeOfACommandIsKnownBefore(count: Int) {
        let command = RedisCommand(
            words: [[1], [UInt8](repeating: 0, count: count)] + Array(repeating: [2], count: count))
        var bytes: [UInt8] = []
        command.append(to: &bytes)
        #expect(command.wireSize == bytes.count)
    }

    @Test func aCommandThatWaitsHasMoreTime() {
        #expect(
            RedisCommand("xread", "COUNT", "1", "block", "1500", "STREAMS", "s", "$").ownWait == .milliseconds(1_500))
        #expect(
            RedisCommand("XREADGROUP", "GROUP", "g", "c", "BLOCK", "20", "STREAMS", "s", ">").ownWait
                == .milliseconds(20))
        #expect(RedisCommand("XREAD", "STREAMS", "BLOCK", "100").ownWait == .zero)
        #expect(RedisCommand("XREAD", "BLOCK", "0", "STREAMS", "s", "$").ownWait == .zero)
        #expect(RedisCommand("XREAD", "BLOCK").ownWait == .zero)
        #expect(RedisCommand("WAIT", "1", "250").ownWait == .milliseconds(250))
        #expect(RedisCommand("SET", "BLOCK", "5").ownWait == .zero)
    }
}
