import HandWrittenFrames
import PushHTTP2
import Testing

/// What leaves a client, byte for byte, and what it says about it.
@Suite struct ProducedBytesTests {
    typealias Hand = HandWritten

    @Test func theFirstBytesArePrefaceAndSettingsWithoutPush() throws {
        let client = try ClientSession.make()
        let bytes = try client.produceAll()
        #expect(Array(bytes.prefix(24)) == Hand.preface)
        let settings = try #require(Hand.frames(in: bytes, after: 24).first)
        #expect(settings.isKind(.settings))
        #expect(settings.payload == [0, 2, 0, 0, 0, 0, 0, 6, 0, 0, 0x40, 0])
        #expect(client.producedBytes == UInt64(bytes.count))
    }

    @Test func idsFollowTheOrderOfTheCalls() throws {
        let client = try ClientSession.make()
        #expect(try (0..<5).map { try client.post(tag: $0) } == [1, 3, 5, 7, 9])
    }

    @Test(arguments: [1, 64, 16_384, Int.max])
    func progressIsTheOffsetOfTheFramesThatLeft(limit: Int) throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings())
        var streams = [try client.post("{}"), try client.submit(requestFields(), body: [], tag: 1)]
        streams.append(try client.post(String(repeating: "x", count: 4_096)))
        streams.append(try client.post(String(repeating: "y", count: 20_000)))
        var bytes: [UInt8] = []
        var piece: [UInt8] = []
        repeat {
            piece.removeAll()
            try client.produce(into: &piece, upTo: limit)
            bytes += piece
            for (stream, seen) in streams.map({ ($0, client.progress(of: $0)) }) {
                let frames = Hand.frames(in: bytes, after: 24).filter { $0.stream == Int(stream) }
                #expect(seen?.firstByte == frames.first.map { UInt64($0.start) })
                #expect(seen?.end == frames.first { $0.flags & Hand.endStream != 0 }.map { UInt64($0.end) })
            }
        } while !piece.isEmpty
        #expect(streams.allSatisfy { client.progress(of: $0)?.end != nil })
        #expect(client.producedBytes == UInt64(bytes.count))
    }

    @Test func aPieceEndsWithTheFrameThatReachesTheLimit() throws {
        let client = try ClientSession.make()
        _ = try client.produceAll()
        for tag in 0..<10 { _ = try client.post(String(repeating: "x", count: 1_000), tag: tag) }
        var piece: [UInt8] = []
        try client.produce(into: &piece, upTo: 1_500)
        let frames = Hand.frames(in: piece)
        #expect(frames.last?.end == piece.count)
        #expect(piece.count >= 1_500)
        #expect((frames.last?.start ?? 0) < 1_500)
    }

    @Test func aRequestEndsWithItsLastContinuation() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings())
        var fields = requestFields()
        fields.append("x-long", (0..<8_000).map { "\($0)" }.joined(), indexing: .never)
        let stream = try client.submit(fields, body: [], tag: 0)
        let bytes = try client.produceAll()
        let frames = Hand.frames(in: bytes, after: 24).filter { $0.stream == 1 }
        #expect(frames.map(\.kind) == [Hand.Kind.headers.rawValue] + [UInt8](repeating: 9, count: 1))
        // END_STREAM is the first frame's, END_HEADERS the last one's (RFC 9113, section 6.10).
        #expect(frames.map(\.flags) == [0x1, 0x4])
        var decoder = try Inflater()
        let decoded = try decoder.fields(of: frames.flatMap(\.payload))
        #expect(decoded.last?.value == (0..<8_000).map { "\($0)" }.joined())
        #expect(client.progress(of: stream)?.firstByte == frames.first.map { UInt64($0.start) })
        #expect(client.progress(of: stream)?.end == frames.last.map { UInt64($0.end) })
    }

    @Test func whatIsWithheldStaysHere() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(4, 10)]))
        let whole = try client.post("x")
        let half = try client.post(String(repeating: "x", count: 25))
        _ = try client.produceAll()
        let unwritten = try client.post("x")
        client.withhold()
        _ = try client.receive(Hand.frame(.windowUpdate, stream: Int(half), Hand.number(100, bytes: 4)))
        let frames = Hand.frames(in: try client.produceAll())
        #expect(frames.allSatisfy { !$0.isKind(.data) && !$0.isKind(.headers) })
        #expect(frames.filter { $0.isKind(.rstStream) }.map(\.stream) == [Int(half)])
        #expect(client.openStreams().map(\.stream) == [whole])
        #expect(client.progress(of: unwritten) == nil)
    }

    @Test func aClosedWindowHoldsTheEndBack() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(4, 10)]))
        let stream = try client.post(String(repeating: "x", count: 25))
        _ = try client.produceAll()
        #expect(client.progress(of: stream)?.firstByte != nil)
        #expect(try #require(client.progress(of: stream)).end == nil)
        let before = Int(client.producedBytes)
        _ = try client.receive(Hand.frame(.windowUpdate, stream: 1, Hand.number(100, bytes: 4)))
        let bytes = try client.produceAll()
        #expect(client.progress(of: stream)?.end == UInt64(before + bytes.count))
        #expect(bytes.count == 9 + 15)
    }

    @Test func neverIndexedFieldsAreMarkedSoEachTime() throws {
        let client = try ClientSession.make()
        _ = try client.produceAll()
        func block() throws -> [UInt8] {
            var fields = FieldList()
            fields.append(":method", "POST")
            fields.append("authorization", "bearer t", indexing: .never)
            fields.append("apns-topic", "com.example.app")
            _ = try client.submit(fields, body: [], tag: 0)
            return try #require(Hand.frames(in: try client.produceAll()).first { $0.isKind(.headers) }).payload
        }
        let first = try block()
        let second = try block()
        // RFC 7541: :method POST is static entry 3, authorization entry 23 (0x1f 0x08 as a never-indexed name).
        #expect(Array(first.prefix(3)) == [0x83, 0x1f, 0x08])
        #expect(Array(second.prefix(3)) == [0x83, 0x1f, 0x08])
        // The topic went into the dynamic table: the second time it is one octet, entry 62.
        #expect(second.last == 0xbe)
        #expect(first.count > second.count + 10)
    }

    // MARK: Withdrawn requests

    @Test func aStreamResetBeforeItsFirstFrameNeverGoesOut() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 100)]))
        let streams = try (0..<5).map { try client.post(tag: $0) }
        client.reset(streams[1], code: .cancel)
        client.reset(streams[4], code: .cancel)
        let frames = Hand.frames(in: try client.produceAll(), after: 24)
        #expect(Set(frames.map(\.stream)) == [0, 1, 5, 7])
        #expect(client.laterEvents().isEmpty)
        #expect(client.openStreams().map(\.stream) == [1, 5, 7])
        #expect(client.streamsHeld == 3)
    }

    @Test func aStreamResetWhileItWaitsForTheLimitNeverGoesOut() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 1)]))
        for tag in 0..<4 { _ = try client.post(tag: tag) }
        var bytes = try client.produceAll()
        #expect(client.progress(of: 3) == StreamProgress())
        client.reset(3, code: .cancel)
        client.reset(7, code: .cancel)
        var events = try client.receive(Hand.headers(1, [(":status", "200")], end: true))
        bytes += try client.produceAll()
        events += try client.receive(Hand.headers(5, [(":status", "200")], end: true))
        bytes += try client.produceAll()
        events += client.laterEvents()
        #expect(events.compactMap(\.ended) == [1, 5])
        #expect(Set(Hand.frames(in: bytes, after: 24).map(\.stream)) == [0, 1, 5])
        #expect(client.streamsHeld == 0)
    }

    @Test func aResetBeforeTheBodyWithdrawsTheEnd() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings())
        _ = try client.produceAll()
        let stream = try client.post("body")
        var bytes: [UInt8] = []
        try client.produce(into: &bytes, upTo: 1)
        #expect(Hand.frames(in: bytes).last?.isKind(.headers) == true)
        client.reset(stream, code: .cancel)
        let rest = Hand.frames(in: try client.produceAll())
        #expect(rest.map(\.kind) == [Hand.Kind.rstStream.rawValue])
        #expect(client.streamsHeld == 0)
    }

    @Test func nothingIsHeardOfAResetStream() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings())
        let stream = try client.post()
        _ = try client.produceAll()
        client.reset(stream, code: .cancel)
        var events = try client.receive(Hand.headers(1, [(":status", "200")], end: true))
        _ = try client.produceAll()
        events += try client.receive(Hand.reset(1, 2) + Hand.goAway(last: 0, 0))
        events += client.laterEvents()
        #expect(events == [.goAway(lastStreamID: 0, .noError, debugData: [])])
        #expect(client.streamsHeld == 0)
    }

    @Test func anAnswerThatCrossesAResetIsNoViolation() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings())
        let stream = try client.post()
        let other = try client.post()
        _ = try client.produceAll()
        client.reset(stream, code: .cancel)
        _ = try client.produceAll()
        #expect(client.openStreams().map(\.stream) == [other])
        // A server that has not read the reset yet goes on; more than the connection window passes by in the end.
        var events = try client.receive(Hand.headers(1, [(":status", "200")], end: false))
        let data = Hand.data(1, Array(repeating: 1, count: 16_384), end: false)
        var windowUpdates = 0
        for _ in 0..<40 {
            events += try client.receive(data)
            windowUpdates += Hand.frames(in: try client.produceAll()).filter { $0.isKind(.windowUpdate) }.count
        }
        events += try client.receive(Hand.data(1, [], end: true) + Hand.reset(1, 0))
        #expect(events.isEmpty && windowUpdates > 0)
        events += try client.receive(Hand.headers(3, [(":status", "200")], end: true))
        #expect(events.compactMap(\.ended) == [other])
    }

    @Test func resettingAnUnknownStreamIsHarmless() throws {
        let client = try ClientSession.make()
        for stream in [0, 1, 2, 99, -1, StreamID.max] { client.reset(stream, code: .cancel) }
        let frames = Hand.frames(in: try client.produceAll(), after: 24)
        #expect(!frames.contains { $0.isKind(.rstStream) })
        #expect(client.failure == nil)
    }

    // MARK: No more streams

    @Test func usedUpIdsAreAnErrorAndTheSessionGoesOn() throws {
        let client = try ClientSession.make { $0.firstStreamID = .max }
        _ = try client.receive(Hand.settings())
        #expect(try client.post() == StreamID.max)
        #expect { try client.post() } throws: { ($0 as? SessionError)?.code == .cannotOpenStream }
        _ = try client.produceAll()
        let events = try client.receive(Hand.headers(Int(StreamID.max), [(":status", "200")], end: true))
        #expect(events.first?.response?.isComplete == true)
    }

    @Test func tooLargeFieldsAreRefusedAndTheNextRequestGoesOut() throws {
        let client = try ClientSession.make()
        var fields = requestFields()
        fields.append("x", String(repeating: "x", count: 70_000))
        #expect { try client.submit(fields, body: [], tag: 0) } throws: {
            ($0 as? SessionError)?.code == .headersTooLarge
        }
        #expect(try client.post() == 1)
        #expect(client.streamsHeld == 1)
    }

    @Test func aSkippedStreamLeavesOutItsId() throws {
        let client = try ClientSession.make()
        client.skipStream()
        #expect(try client.post() == 3)
        client.skipStream()
        client.skipStream()
        #expect(try client.post() == 9)
        let last = try ClientSession.make { $0.firstStreamID = .max }
        last.skipStream()
        #expect { try last.post() } throws: { ($0 as? SessionError)?.code == .cannotOpenStream }
    }

    @Test func afterOurGoAwayOpenStreamsFinish() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings())
        _ = try client.post()
        _ = try client.produceAll()
        client.goAway()
        client.goAway()
        #expect { try client.post() } throws: { ($0 as? SessionError)?.code == .cannotOpenStream }
        #expect(Hand.frames(in: try client.produceAll()).filter { $0.isKind(.goAway) }.count == 1)
        #expect(!client.isFinished)
        #expect(try client.receive(Hand.headers(1, [(":status", "200")], end: true)).first?.response?.status == 200)
        _ = try client.produceAll()
        #expect(client.isFinished && client.failure == nil)
    }
}
