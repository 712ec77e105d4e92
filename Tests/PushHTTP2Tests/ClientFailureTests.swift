import HandWrittenFrames
import PushHTTP2
import Testing

/// Servers that break the protocol.
@Suite struct ClientFailureTests {
    typealias Hand = HandWritten

    func client() throws -> ClientSession {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for tag in 0..<3 { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        return client
    }

    static let violations: [(name: String, bytes: [UInt8])] = [
        ("HTTP/1.1", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
        (
            "a push",
            Hand.frame(.pushPromise, flags: 4, stream: 1, Hand.number(2, bytes: 4) + Hand.block([(":method", "GET")]))
        ),
        ("DATA on stream 0", Hand.data(0, [1], end: false)),
        ("an unopened stream", Hand.headers(99, [(":status", "200")], end: true)),
        ("a frame too large", Hand.frame(.data, stream: 1, Array(repeating: 0, count: 17_000))),
        ("SETTINGS of 5 bytes", Hand.frame(.settings, [1, 2, 3, 4, 5])),
        ("a broken header block", Hand.frame(.headers, flags: 5, stream: 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
        ("a continuation alone", Hand.frame(.continuation, flags: 4, stream: 1, [0x88])),
        ("an impossible window", Hand.settings([(4, 0xffff_ffff)])),
        ("a window beyond 2^31-1", Hand.frame(.windowUpdate, Hand.number(0x7fff_ffff, bytes: 4))),
        ("GOAWAY for a stream of the server", Hand.goAway(last: 2, 0)),
    ]

    @Test(arguments: violations.indices)
    func aViolationKillsTheSessionWithASentence(index: Int) throws {
        let client = try client()
        var events: [ClientEvent] = []
        let error = try #require(throws: SessionError.self) {
            try Self.violations[index].bytes.withUnsafeBytes { try client.receive($0, into: &events) }
        }
        #expect(error.code == .protocolViolation, "\(Self.violations[index].name)")
        #expect(error.sentence.hasSuffix("."))
        #expect(client.failure == error)
        // Each stream is either open or had its one event.
        let ended = events.compactMap(\.ended)
        #expect((client.openStreams().map(\.stream) + ended).sorted() == [1, 3, 5])
        #expect(throws: error) { try client.receive(Hand.settings()) }
        #expect { try client.post() } throws: { ($0 as? SessionError)?.code == .cannotOpenStream }
        let frames = Hand.frames(in: try client.produceAll())
        #expect(frames.contains { $0.isKind(.goAway) })
        client.ping(1)
        client.goAway()
        client.reset(1, code: .cancel)
        #expect(try client.produceAll().isEmpty)
        #expect(client.isFinished && !client.hasOutput)
    }

    @Test func theSentenceNamesTheRule() throws {
        let client = try client()
        let push = try #require(Self.violations.first { $0.name == "a push" })
        let error = try #require(throws: SessionError.self) { try client.receive(push.bytes) }
        #expect(error.reason == .protocolError)
        #expect(error.sentence.contains("push is off"))
    }

    @Test func theFirstFrameMustBeSettings() throws {
        let client = try ClientSession.make()
        #expect { try client.receive(Hand.frame(.ping, Array(repeating: 0, count: 8))) } throws: {
            ($0 as? SessionError)?.code == .protocolViolation
        }
    }

    @Test func aViolationAfterGoAwayShowsOnceItsAnswerIsProduced() throws {
        let client = try client()
        _ = try client.receive(Hand.goAway(last: 5, 0))
        _ = try client.receive(Hand.goAway(last: 7, 0))
        _ = try client.produceAll()
        #expect(client.failure?.code == .protocolViolation)
        #expect(client.isFinished)
        #expect(client.openStreams().map(\.stream) == [1, 3, 5])
    }

    @Test func floodsEndTheConnection() throws {
        let ping = Hand.frame(.ping, Array(repeating: 0, count: 8))
        let pings = Array(repeatElement(ping, count: 5_000).joined())
        let settings = Array(repeatElement(Hand.settings([(4, 1)]), count: 5_000).joined())
        for bytes in [pings, settings] {
            let client = try client()
            #expect { try client.receive(bytes) } throws: { ($0 as? SessionError)?.code == .flooded }
            #expect(client.openStreams().count == 3)
        }
    }

    @Test func oneViolationOnAStreamLeavesTheOthersAlone() throws {
        let client = try client()
        var events = try client.receive(Hand.headers(1, [(":status", "200"), ("UPPER", "x")], end: true))
        events += try client.receive(Hand.headers(3, [("apns-id", "no status")], end: true))
        events += try client.receive(Hand.headers(5, [(":status", "200")], end: true))
        _ = try client.produceAll()
        events += client.laterEvents()
        #expect(events.compactMap(\.ended) == [1, 3, 5])
        #expect(events[1] == .closed(3, tag: 1, .protocolError, isMalformed: true))
        #expect(events[2].response?.isComplete == true)
        #expect(client.failure == nil)
        #expect(client.streamsHeld == 0)
    }
}
