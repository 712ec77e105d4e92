import HandWrittenFrames
import PushHTTP2
import Testing

/// What a client makes of a server's frames, all of them written by hand.
@Suite struct ClientReceptionTests {
    typealias Hand = HandWritten

    /// A client that has seen SETTINGS and produced requests on streams 1, 3, 5 … with tags 100, 101 …
    func client(
        requests: Int = 1, _ change: (inout ClientSession.Configuration) -> Void = { _ in }
    ) throws -> ClientSession {
        let client = try ClientSession.make(change)
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for index in 0..<requests { _ = try client.post(tag: 100 + index) }
        _ = try client.produceAll()
        return client
    }

    @Test func anAnswerInOneFrameIsAResponse() throws {
        let client = try client()
        let events = try client.receive(Hand.headers(1, [(":status", "200"), ("apns-id", "A")], end: true))
        let response = try #require(events.first?.response)
        #expect(events.count == 1)
        #expect(response.stream == 1 && response.tag == 100 && response.status == 200)
        #expect(response.isComplete && response.body.isEmpty)
        #expect(response.headers.first("apns-id") == "A")
        #expect(client.openStreams().isEmpty)
        #expect(client.streamsHeld == 0)
    }

    @Test func settingsAreMergedAndAStatedLimitStays() throws {
        let client = try ClientSession.make()
        #expect(try client.receive(Hand.settings()) == [.settings(PeerSettings())])
        let limited = try client.receive(Hand.settings([(3, 1), (4, 1_000)]))
        #expect(limited == [.settings(PeerSettings(maxConcurrentStreams: 1, initialWindowSize: 1_000))])
        let other = try client.receive(Hand.settings([(6, 8_000)]))
        #expect(
            other == [
                .settings(PeerSettings(maxConcurrentStreams: 1, initialWindowSize: 1_000, maxHeaderListSize: 8_000))
            ])
        let none = try client.receive(Hand.settings([(3, 0)]) + Hand.settingsAcknowledgement)
        #expect(none.count == 1)
        guard case .settings(let merged) = try #require(none.first) else { return #expect(Bool(false)) }
        #expect(merged.maxConcurrentStreams == 0)
    }

    @Test func informationalResponsesAreSkipped() throws {
        let client = try client()
        let events = try client.receive(
            Hand.headers(1, [(":status", "103"), ("link", "x")], end: false)
                + Hand.headers(1, [(":status", "100")], end: false)
                + Hand.headers(1, [(":status", "400"), ("apns-id", "B")], end: false)
                + Hand.data(1, Array("{}".utf8), end: true))
        let response = try #require(events.first?.response)
        #expect(events.count == 1)
        #expect(response.status == 400 && response.body == Array("{}".utf8))
        #expect(response.headers.fields.map(\.name) == ["apns-id"])
    }

    @Test(arguments: ["199x", "20", "abc", "600", "700", "999", "000", "099", "101", "-20", "2000", ""])
    func anImpossibleStatusEndsTheStream(status: String) throws {
        let client = try client()
        let events = try client.receive(Hand.headers(1, [(":status", status)], end: true))
        #expect(events == [.closed(1, tag: 100, .protocolError, isMalformed: true)])
        _ = try client.produceAll()
        #expect(client.laterEvents().isEmpty)
        #expect(client.openStreams().isEmpty)
        #expect(client.streamsHeld == 0)
        #expect(client.failure == nil)
    }

    @Test func anInformationalResponseCannotBeTheLast() throws {
        let client = try client()
        #expect(
            try client.receive(Hand.headers(1, [(":status", "103")], end: true))
                == [.closed(1, tag: 100, .protocolError, isMalformed: true)])
    }

    @Test func trailersAreIgnored() throws {
        let client = try client()
        let events = try client.receive(
            Hand.headers(1, [(":status", "200")], end: false) + Hand.data(1, [7], end: false)
                + Hand.headers(1, [("x-checksum", "1")], end: true))
        let response = try #require(events.first?.response)
        #expect(events.count == 1)
        #expect(response.isComplete && response.body == [7] && response.headers.count == 0)
    }

    @Test func aSecondAnswerOnAStreamChangesNothing() throws {
        let client = try client(requests: 2)
        var events = try client.receive(
            Hand.headers(1, [(":status", "200")], end: false) + Hand.headers(1, [(":status", "500")], end: true))
        events += try client.receive(Hand.headers(1, [(":status", "503")], end: true) + Hand.data(1, [1], end: true))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(events.compactMap(\.ended) == [1])
        #expect(events.first?.response?.status == 200)
        #expect(client.openStreams().map(\.stream) == [3])
    }

    @Test func theHeadersAreBoundedAndTheStatusHolds() throws {
        for fields in [
            (0..<200).map { ("x-\($0)", "y") },
            (0..<10).map { ("x-\($0)", String(repeating: "y", count: 4_000)) },
        ] {
            let client = try client()
            let events = try client.receive(Hand.longHeaders(1, [(":status", "429")] + fields, end: true))
            let response = try #require(events.first?.response)
            #expect(events.count == 1)
            #expect(response.status == 429 && !response.isComplete)
            #expect(response.headers.count <= 128)
            #expect(response.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } <= 16_384)
            #expect(client.openStreams().isEmpty)
            _ = try client.produceAll()
            #expect(client.laterEvents().isEmpty && client.streamsHeld == 0 && client.failure == nil)
        }
    }

    @Test func theBodyIsBoundedAndDeliveredOnce() throws {
        let client = try client { $0.maxBodyBytes = 1_000 }
        var events = try client.receive(
            Hand.headers(1, [(":status", "400")], end: false)
                + Hand.data(1, Array(repeating: 1, count: 1_000), end: false))
        #expect(events.isEmpty)
        events += try client.receive(Hand.data(1, [2, 2], end: false) + Hand.data(1, [3], end: true))
        let response = try #require(events.first?.response)
        #expect(events.count == 1)
        #expect(response.body == Array(repeating: 1, count: 1_000) && !response.isComplete)
        let frames = Hand.frames(in: try client.produceAll())
        #expect(frames.contains { $0.isKind(.rstStream) && $0.payload == Hand.number(8, bytes: 4) })
        #expect(client.laterEvents().isEmpty && client.streamsHeld == 0)
    }

    @Test func aBodyOfExactlyTheBoundIsComplete() throws {
        let client = try client { $0.maxBodyBytes = 10 }
        let events = try client.receive(
            Hand.headers(1, [(":status", "400")], end: false)
                + Hand.data(1, Array(repeating: 1, count: 10), end: true))
        #expect(events.first?.response?.isComplete == true)
    }

    @Test func aResetAfterTheStatusStillAnswers() throws {
        let client = try client()
        let events = try client.receive(
            Hand.headers(1, [(":status", "410")], end: false) + Hand.data(1, [5], end: false) + Hand.reset(1, 2))
        let response = try #require(events.first?.response)
        #expect(events.count == 1)
        #expect(response.status == 410 && response.body == [5] && !response.isComplete)
    }

    @Test(arguments: [0, 2, 7, 8, 0x77])
    func aResetWithoutAStatusClosesWithItsCode(code: Int) throws {
        let client = try client()
        #expect(
            try client.receive(Hand.reset(1, code))
                == [.closed(1, tag: 100, HTTP2ErrorCode(rawValue: UInt32(code)))])
        #expect(client.streamsHeld == 0)
    }

    @Test func aResetWithoutErrorAfterACompleteAnswerIsNothing() throws {
        let client = try client()
        let events = try client.receive(Hand.headers(1, [(":status", "200")], end: true) + Hand.reset(1, 0))
        #expect(events.count == 1)
        #expect(events.first?.response?.isComplete == true)
        #expect(client.failure == nil)
    }

    @Test func anAnswerBeforeTheBodyIsOutEndsTheRequest() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(4, 0)]))
        let stream = try client.post("body", tag: 7)
        _ = try client.produceAll()
        #expect(try #require(client.progress(of: stream)).end == nil)
        let events = try client.receive(Hand.headers(1, [(":status", "413")], end: true) + Hand.reset(1, 0))
        #expect(events.compactMap(\.response?.status) == [413])
        #expect(events.count == 1)
        #expect(events.first?.response?.isComplete == true)
        _ = try client.receive(Hand.frame(.windowUpdate, Hand.number(1_000, bytes: 4)))
        #expect(!Hand.frames(in: try client.produceAll()).contains { $0.isKind(.data) })
        #expect(client.streamsHeld == 0)
    }

    @Test func aContentLengthThatLiesLeavesAnIncompleteAnswer() throws {
        let client = try client()
        var events = try client.receive(
            Hand.headers(1, [(":status", "200"), ("content-length", "5")], end: false) + Hand.data(1, [1], end: true))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(events.compactMap(\.ended) == [1])
        #expect(events.first?.response?.status == 200)
        #expect(events.first?.response?.isComplete == false)
    }

    @Test func pongsCarryTheirPayload() throws {
        let client = try client()
        client.ping(0x0102_0304_0506_0708)
        let frames = Hand.frames(in: try client.produceAll())
        #expect(frames.last?.payload == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(
            try client.receive(Hand.frame(.ping, flags: 1, [1, 2, 3, 4, 5, 6, 7, 8])) == [.pong(0x0102_0304_0506_0708)])
    }

    @Test func goAwayComesBeforeTheStreamsItRefusesAndEachIsRefusedOnce() throws {
        let client = try client(requests: 4)
        let parked = try client.post(tag: 200)
        var events = try client.receive(Hand.goAway(last: 3, 0, #"{"reason":"Shutdown"}"#))
        #expect(
            events == [
                .goAway(lastStreamID: 3, .noError, debugData: Array(#"{"reason":"Shutdown"}"#.utf8)),
                .closed(5, tag: 102, .refusedStream), .closed(7, tag: 103, .refusedStream),
                .closed(parked, tag: 200, .refusedStream, isRequestWhole: false),
            ])
        events = try client.receive(Hand.goAway(last: 1, 0))
        #expect(events == [.goAway(lastStreamID: 1, .noError, debugData: []), .closed(3, tag: 101, .refusedStream)])
        let after = Hand.frames(in: try client.produceAll())
        #expect(!after.contains { $0.isKind(.headers) })
        #expect(client.laterEvents().isEmpty)
        #expect(client.openStreams().map(\.stream) == [1])
        events = try client.receive(Hand.headers(1, [(":status", "200")], end: true))
        #expect(events.first?.response?.isComplete == true)
        _ = try client.produceAll()
        #expect(client.isFinished)
        #expect(client.streamsHeld == 0)
        #expect { try client.post() } throws: { ($0 as? SessionError)?.code == .cannotOpenStream }
    }

    @Test func anAnsweredStreamAboveGoAwayKeepsItsAnswer() throws {
        let client = try client()
        let events = try client.receive(Hand.headers(1, [(":status", "500")], end: false) + Hand.goAway(last: 0, 1))
        #expect(events.last?.response?.status == 500)
        #expect(events.compactMap(\.ended) == [1])
    }

    @Test func streamsThatWaitForTheLimitAreRefusedByGoAway() throws {
        let client = try ClientSession.make { $0.assumedMaxConcurrentStreams = 1 }
        _ = try client.receive(Hand.settings([(3, 1)]))
        for tag in 0..<3 { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        let events = try client.receive(Hand.goAway(last: 0x7fff_ffff, 0))
        #expect(
            events.dropFirst() == [
                .closed(3, tag: 1, .refusedStream, isRequestWhole: false),
                .closed(5, tag: 2, .refusedStream, isRequestWhole: false),
            ])
        #expect(try client.receive(Hand.headers(1, [(":status", "200")], end: true)).compactMap(\.ended) == [1])
        #expect(!Hand.frames(in: try client.produceAll()).contains { $0.isKind(.headers) })
        #expect(client.streamsHeld == 0 && client.laterEvents().isEmpty)
    }

    @Test func openStreamsShowAPartialAnswer() throws {
        let client = try client(requests: 2)
        _ = try client.receive(Hand.headers(3, [(":status", "400")], end: false) + Hand.data(3, [1, 2], end: false))
        let open = client.openStreams()
        #expect(open.map(\.stream) == [1, 3])
        #expect(open.map(\.tag) == [100, 101])
        #expect(open[0].partialResponse == nil)
        #expect(open[1].partialResponse?.status == 400)
        #expect(open[1].partialResponse?.body == [1, 2])
        #expect(open[1].partialResponse?.isComplete == false)
    }

    @Test func theSameEventsComeWhereverTheBytesAreSplit() throws {
        let bytes =
            Hand.settings([(3, 50), (6, 8_000)])
            + Hand.headers(1, [(":status", "103")], end: false)
            + Hand.headers(1, [(":status", "400"), ("apns-id", "C")], end: false)
            + Hand.frame(.ping, [0, 0, 0, 0, 0, 0, 0, 1]) + Hand.data(1, Array(#"{"reason":"X"}"#.utf8), end: true)
            + Hand.reset(3, 7) + Hand.frame(.ping, flags: 1, [0, 0, 0, 0, 0, 0, 0, 2])
            + Hand.frame(.headers, flags: 1, stream: 5, Hand.block([(":status", "200")]))
            + Hand.frame(.continuation, flags: 4, stream: 5, Hand.block([("a", "b")]))
            + Hand.goAway(last: 5, 0, "bye")
        func events(_ pieces: [ArraySlice<UInt8>]) throws -> [ClientEvent] {
            let client = try ClientSession.make()
            for tag in 0..<4 { _ = try client.post(tag: tag) }
            _ = try client.produceAll()
            return try pieces.flatMap { try client.receive(Array($0)) }
        }
        let whole = try events([bytes[...]])
        #expect(whole.count == 7)
        for split in 0...bytes.count {
            #expect(try events([bytes[..<split], bytes[split...]]) == whole)
        }
        #expect(try events(bytes.indices.map { bytes[$0...$0] }) == whole)
    }
}
