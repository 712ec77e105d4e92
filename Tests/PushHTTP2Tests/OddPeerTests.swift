import HandWrittenFrames
import PushHTTP2
import Testing

/// A server that does what the protocol allows and nobody expects, or what nghttp2 lets pass: the rows of
/// docs/peer-behaviour.md that ClientReceptionTests and ClientFailureTests do not hold.
@Suite struct OddPeerTests {
    typealias Hand = HandWritten

    /// A client with open streams 1, 3, 5 … (tags 0, 1, 2 …), all of it produced.
    func client(
        requests: Int = 3, settings: [(id: Int, value: Int)] = [(3, 1_000)],
        _ change: (inout ClientSession.Configuration) -> Void = { _ in }
    ) throws -> ClientSession {
        let client = try ClientSession.make(change)
        _ = try client.receive(Hand.settings(settings))
        for tag in 0..<requests { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        return client
    }

    /// Nothing is wrong with the client: stream 1 can still be answered.
    func expectHealth(_ client: ClientSession) throws {
        #expect(client.failure == nil)
        let events = try client.receive(Hand.headers(1, [(":status", "200")], end: true))
        #expect(events.compactMap(\.ended) == [1] && events.first?.response?.isComplete == true)
    }

    @Test func aStreamResetInTheMiddleOfItsHeaderBlockStaysSilentAndLeavesNothingBehind() throws {
        let client = try client(requests: 2)
        let block = Hand.block([(":status", "200"), ("apns-id", "one"), ("x", "y")])
        let first = Hand.frame(.headers, flags: 1, stream: 1, Array(block.prefix(12)))
        #expect(try client.receive(first) == [])
        client.reset(1, code: .cancel)
        #expect(try client.receive(Hand.frame(.continuation, flags: 4, stream: 1, Array(block.dropFirst(12)))) == [])
        _ = try client.produceAll()
        #expect(client.laterEvents() == [] && client.openStreams().map(\.stream) == [3])
        // Its slot serves the next stream, whose answer is its own.
        let next = try client.post(tag: 9)
        _ = try client.produceAll()
        let events = try client.receive(
            Hand.headers(Int(next), [(":status", "200")], end: true)
                + Hand.headers(3, [(":status", "410"), ("apns-id", "two")], end: true))
        #expect(events.compactMap(\.response).map(\.tag) == [9, 1])
        #expect(events.compactMap(\.response).map(\.headers.count) == [0, 1])
    }

    // MARK: Frames nobody asked for

    static let ignored: [(name: String, bytes: [UInt8])] = [
        ("PRIORITY", Hand.frame(.priority, stream: 1, [0, 0, 0, 3, 16])),
        ("PRIORITY for an unopened stream", Hand.frame(.priority, stream: 77, [0, 0, 0, 0, 16])),
        ("ALTSVC", Hand.frame(type: 0xa, [0, 0] + Array(#"h2=":443""#.utf8))),
        ("ORIGIN", Hand.frame(type: 0xc, [0, 3, 1, 2, 3])),
        ("a broken ORIGIN", Hand.frame(type: 0xc, [0xff, 0xff])),
        ("PRIORITY_UPDATE", Hand.frame(type: 0x10, [0, 0, 0, 1] + Array("u=1".utf8))),
        ("an unknown type", Hand.frame(type: 0xfe, flags: 0xff, stream: 5, Array(repeating: 9, count: 16_384))),
        ("an unknown type for an unopened stream", Hand.frame(type: 0x42, stream: 1_000, [])),
        ("an unknown setting", Hand.settings([(0xabcd, 1)])),
        ("an unasked-for pong", Hand.frame(.ping, flags: 1, Array(repeating: 7, count: 8))),
        ("a window for a stream", Hand.windowUpdate(1, 1_000)),
    ]

    @Test(arguments: ignored.indices)
    func whatNobodyAskedForEndsNothing(index: Int) throws {
        let client = try client()
        let events = try client.receive(Self.ignored[index].bytes)
        #expect(events.allSatisfy { $0.ended == nil }, "\(Self.ignored[index].name)")
        #expect(client.openStreams().count == 3)
        try expectHealth(client)
    }

    static let violations: [(name: String, bytes: [UInt8])] = [
        ("ENABLE_PUSH 1", Hand.settings([(2, 1)])),
        ("MAX_FRAME_SIZE 100", Hand.settings([(5, 100)])),
        ("MAX_FRAME_SIZE 2^24", Hand.settings([(5, 1 << 24)])),
        ("a window of nothing", Hand.windowUpdate(0, 0)),
        ("a window of nothing for a stream", Hand.windowUpdate(1, 0)),
        ("a window for an unopened stream", Hand.windowUpdate(99, 1)),
        ("RST_STREAM for an unopened stream", Hand.reset(99, 8)),
        ("RST_STREAM for stream 0", Hand.reset(0, 8)),
        ("RST_STREAM of 3 bytes", Hand.frame(.rstStream, stream: 1, [0, 0, 0])),
        ("PING of 7 bytes", Hand.frame(.ping, Array(repeating: 0, count: 7))),
        ("PING on a stream", Hand.frame(.ping, stream: 1, Array(repeating: 0, count: 8))),
        ("GOAWAY of 7 bytes", Hand.frame(.goAway, Array(repeating: 0, count: 7))),
        ("GOAWAY on a stream", Hand.frame(.goAway, stream: 1, Array(repeating: 0, count: 8))),
        ("more acknowledgements than settings", Hand.settingsAcknowledgement + Hand.settingsAcknowledgement),
        ("DATA before an answer's headers", Hand.data(3, [1, 2], end: true)),
        ("an acknowledgement with content", Hand.frame(.settings, flags: 1, [0, 3, 0, 0, 0, 1])),
        ("padding longer than its frame", Hand.frame(.data, flags: 8, stream: 1, [200, 1])),
        ("a header block cut by another frame", Hand.frame(.headers, stream: 1, [0x88]) + Hand.data(1, [], end: true)),
        ("a header block cut by an unknown frame", Hand.frame(.headers, stream: 1, [0x88]) + Hand.frame(type: 0x42)),
        ("HEADERS on an even stream", Hand.headers(2, [(":status", "200")], end: true)),
        ("a header table larger than ours", Hand.frame(.headers, flags: 5, stream: 1, [0x3f, 0xe1, 0xff, 0x03, 0x88])),
        ("an index beyond the table", Hand.frame(.headers, flags: 5, stream: 1, [0xff, 0x80, 0x01])),
    ]

    @Test(arguments: violations.indices)
    func aViolationEndsTheSessionWithASentence(index: Int) throws {
        let client = try client()
        var events: [ClientEvent] = []
        let error = try #require(throws: SessionError.self, "\(Self.violations[index].name)") {
            try Self.violations[index].bytes.withUnsafeBytes { try client.receive($0, into: &events) }
        }
        #expect(error.code == .protocolViolation && error.sentence.hasSuffix("."))
        #expect((client.openStreams().map(\.stream) + events.compactMap(\.ended)).sorted() == [1, 3, 5])
        let words = Hand.frames(in: client.lastWords())
        #expect(words.count == 1 && words[0].isKind(.goAway))
        #expect(client.lastWords().isEmpty)
    }

    // MARK: Answers

    @Test func informationalAnswersWithoutEndCostNoMemoryAndTheFinalOneCounts() throws {
        let client = try client()
        for _ in 0..<1_000 {
            #expect(try client.receive(Hand.headers(1, [(":status", "103"), ("link", "x")], end: false)).isEmpty)
        }
        let events = try client.receive(Hand.headers(1, [(":status", "200"), ("a", "b")], end: true))
        #expect(events.first?.response?.headers.fields.map(\.name) == ["a"])
    }

    @Test func anInformationalAnswerAboveTheBoundEndsTheStreamWithoutAnAnswer() throws {
        let client = try client()
        let many = (0..<200).map { ("x-\($0)", "y") }
        let events = try client.receive(Hand.headers(3, [(":status", "103")] + many, end: false))
        // Its fields are not kept, so they do not count; the final answer does.
        #expect(events.isEmpty)
        #expect(
            try client.receive(Hand.headers(3, [(":status", "200")], end: true)).compactMap(\.response?.status) == [200]
        )
        try expectHealth(client)
    }

    @Test func trailersWithoutAnEndLeaveAnIncompleteAnswer() throws {
        let client = try client()
        var events = try client.receive(
            Hand.headers(3, [(":status", "200")], end: false) + Hand.headers(3, [("x", "1")], end: false))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(events.count == 1)
        #expect(events.first?.response?.status == 200 && events.first?.response?.isComplete == false)
        try expectHealth(client)
    }

    static let malformed: [(name: String, fields: [(String, String)])] = [
        ("two statuses", [(":status", "200"), (":status", "200")]),
        ("a status behind other fields", [("apns-id", "x"), (":status", "200")]),
        ("an unknown pseudo field", [(":status", "200"), (":version", "2")]),
        ("a request's pseudo field", [(":status", "200"), (":path", "/")]),
        ("a field of HTTP/1.1", [(":status", "200"), ("connection", "close")]),
        ("transfer-encoding", [(":status", "200"), ("transfer-encoding", "chunked")]),
        ("two lengths", [(":status", "200"), ("content-length", "1"), ("content-length", "2")]),
        ("a length that is none", [(":status", "200"), ("content-length", "-1")]),
        ("nothing", []),
    ]

    @Test(arguments: malformed.indices)
    func aMalformedAnswerEndsItsStreamOnly(index: Int) throws {
        let client = try client()
        var events = try client.receive(Hand.headers(3, Self.malformed[index].fields, end: true))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(
            events == [.closed(3, tag: 1, .protocolError, isMalformed: true)], "\(Self.malformed[index].name)")
        try expectHealth(client)
    }

    @Test(
        "a blank at an end of a value is no part of it, and the answer counts",
        arguments: ["a value ", " a value", "\ta value \t", "a value"])
    func outerBlanksAreDropped(value: String) throws {
        let client = try client()
        let fields = [(":status", "200"), ("apns-id", " id "), ("x-proxy", value), ("empty", " ")]
        let events = try client.receive(Hand.headers(3, fields, end: true))
        let response = try #require(events.first?.response)
        #expect(events.count == 1 && response.status == 200 && response.isComplete)
        #expect(response.headers.fields.map(\.value) == ["id", "a value", ""])
        try expectHealth(client)
    }

    @Test func aRefusalBehindAStatusIsAnAnswer() throws {
        let client = try client()
        let events = try client.receive(Hand.headers(3, [(":status", "200")], end: false) + Hand.reset(3, 7))
        #expect(events.count == 1)
        #expect(events.first?.response?.status == 200 && events.first?.response?.isComplete == false)
    }

    @Test func aRefusalBehindAnInformationalAnswerIsARefusal() throws {
        let client = try client()
        let events = try client.receive(Hand.headers(3, [(":status", "100")], end: false) + Hand.reset(3, 7))
        #expect(events == [.closed(3, tag: 1, .refusedStream)])
    }

    @Test func aWindowBeyondTheLimitEndsItsStreamOnly() throws {
        let client = try client()
        var events = try client.receive(Hand.windowUpdate(3, 0x7fff_ffff))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(events.compactMap(\.ended) == [3])
        #expect(events.first?.response == nil)
        try expectHealth(client)
    }

    @Test func anAnswerToAStreamThatWeResetIsReadPast() throws {
        let client = try client()
        client.reset(3, code: .cancel)
        // Its fields must reach the table all the same, or every later block would be read wrongly.
        let block = [0x88] + Hand.indexed("x-shared", "value")
        var events = try client.receive(
            Hand.frame(.headers, flags: Hand.endHeaders, stream: 3, block) + Hand.data(3, [1], end: true))
        #expect(events.isEmpty)
        _ = try client.produceAll()
        events = try client.receive(
            Hand.frame(.headers, flags: Hand.endHeaders | Hand.endStream, stream: 3, [0x88] + Hand.indexed("y", "z"))
                + Hand.frame(
                    .headers, flags: Hand.endHeaders | Hand.endStream, stream: 5, [0x88, Hand.latestField, 0xbf]))
        #expect(events.compactMap(\.ended) == [5])
        #expect(events.first?.response?.headers.fields.map(\.value) == ["z", "value"])
        try expectHealth(client)
    }

    // MARK: Settings

    @Test func withoutAWindowTheRequestStaysUnfinishedAndGoesOnWhenItOpens() throws {
        let client = try client(requests: 1, settings: [(4, 0)])
        #expect(client.progress(of: 1)?.firstByte != nil && client.progress(of: 1)?.end == nil)
        _ = try client.receive(Hand.settings([(4, 0x7fff_ffff)]))
        let frames = Hand.frames(in: try client.produceAll()).filter { $0.isKind(.data) }
        #expect(frames.count == 1 && client.progress(of: 1)?.end != nil)
        try expectHealth(client)
    }

    @Test func aWindowThatShrinksBelowZeroHoldsBodiesBack() throws {
        let client = try client(requests: 1, settings: [(4, 10)])
        _ = try client.post(String(repeating: "x", count: 30), tag: 1)
        _ = try client.produceAll()
        _ = try client.receive(Hand.settings([(4, 0)]) + Hand.windowUpdate(3, 5))
        #expect(!Hand.frames(in: try client.produceAll()).contains { $0.isKind(.data) })
        _ = try client.receive(Hand.windowUpdate(3, 25))
        #expect(Hand.frames(in: try client.produceAll()).filter { $0.isKind(.data) }.map(\.payload.count) == [20])
        #expect(client.progress(of: 3)?.end != nil)
    }

    @Test func theLargestFramesAllowedMakeOursNoLarger() throws {
        let client = try client(requests: 0, settings: [(5, 0xff_ffff), (4, 0x7fff_ffff), (3, Int(UInt32.max))])
        _ = try client.receive(Hand.windowUpdate(0, 1 << 24))
        _ = try client.post(String(repeating: "x", count: 100_000))
        let frames = Hand.frames(in: try client.produceAll())
        #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
        let data = frames.filter { $0.isKind(.data) }.map(\.payload.count)
        #expect(data.reduce(0, +) == 100_000)
        try expectHealth(client)
    }

    @Test(arguments: [0, 1, 100, Int(UInt32.max)])
    func anyHeaderTableSizeLeavesRequestsReadable(size: Int) throws {
        var settings = ServerSession.Configuration()
        settings.settings.headerTableSize = size
        let server = try ServerSession(settings)
        let client = try ClientSession.make()
        var joined = JoinedSessions(client: client, server: server)
        for round in 0..<3 {
            for tag in 0..<20 { _ = try client.post(tag: round * 20 + tag) }
            try joined.exchange()
        }
        #expect(joined.clientEvents.compactMap(\.response?.status) == Array(repeating: 200, count: 60))
        #expect(joined.serverEvents.compactMap(\.request).allSatisfy { $0.headers.first(":path") == "/3/device/ab" })
    }

    @Test func aHeaderListLimitOfThePeerIsAdvice() throws {
        let client = try client(requests: 1, settings: [(6, 0)])
        #expect(client.openStreams().count == 1)
        try expectHealth(client)
    }

    // MARK: Last words

    @Test func theLastWordsAreTheGoAwayWithoutTheRequestsBeforeIt() throws {
        let client = try client()
        _ = try client.post(String(repeating: "x", count: 20_000), tag: 3)
        var events: [ClientEvent] = []
        #expect(throws: SessionError.self) {
            try Hand.data(0, [1], end: false).withUnsafeBytes { try client.receive($0, into: &events) }
        }
        let words = Hand.frames(in: client.lastWords())
        #expect(words.count == 1 && words[0].isKind(.goAway))
        #expect(words[0].payload[4..<8] == [0, 0, 0, 1])
        events += client.laterEvents()
        #expect((client.openStreams().map(\.stream) + events.compactMap(\.ended)).sorted() == [1, 3, 5, 7])
    }

    @Test func whoLivesHasNoLastWords() throws {
        let client = try client()
        _ = try client.post(tag: 3)
        #expect(client.lastWords().isEmpty)
        #expect(Hand.frames(in: try client.produceAll()).contains { $0.isKind(.headers) })
        try expectHealth(client)
    }

    // MARK: GOAWAY

    @Test func theLargestDebugDataIsHandedOnAndALargerFrameIsAViolation() throws {
        let client = try client()
        let data = [UInt8](repeating: 0xff, count: 16_384 - 8)
        let events = try client.receive(Hand.goAway(last: 5, 0, data: data))
        #expect(events == [.goAway(lastStreamID: 5, .noError, debugData: data)])
        let other = try self.client()
        #expect { try other.receive(Hand.goAway(last: 5, 0, data: data + [0])) } throws: {
            ($0 as? SessionError)?.reason == .frameSizeError
        }
    }

    @Test func aLaterGoAwayThatRisesEndsTheSessionAndRefusesNobodyTwice() throws {
        let client = try client()
        var events = try client.receive(Hand.goAway(last: 3, 0) + Hand.goAway(last: 5, 0))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(events.compactMap(\.ended) == [5])
        #expect(client.failure?.code == .protocolViolation)
        #expect(client.openStreams().map(\.stream) == [1, 3])
    }

    @Test func answersToRefusedStreamsAreReadPast() throws {
        let client = try client()
        let events = try client.receive(
            Hand.goAway(last: 1, 0) + Hand.headers(3, [(":status", "200")], end: true)
                + Hand.headers(5, [(":status", "200")], end: false) + Hand.data(5, [1], end: true))
        #expect(events.compactMap(\.ended) == [3, 5])
        #expect(events.allSatisfy { $0.response == nil })
        try expectHealth(client)
    }
}
