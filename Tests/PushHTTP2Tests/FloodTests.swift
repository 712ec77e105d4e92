import HandWrittenFrames
import PushHTTP2
import Testing

/// Peers that send without end: memory stays bounded, and the session ends before long.
@Suite struct FloodTests {
    typealias Hand = HandWritten

    static let requests = 3

    /// What the rules allow without an end, and what keeps it going.
    static let floods: [(name: String, opening: [UInt8], frame: [UInt8])] = [
        (
            "empty DATA", Hand.headers(1, [(":status", "200")], end: false),
            Hand.data(1, [], end: false)
        ),
        (
            "padding", Hand.headers(1, [(":status", "200")], end: false),
            Hand.frame(.data, flags: 8, stream: 1, [2, 0, 0])
        ),
        ("informational answers", [], Hand.headers(1, [(":status", "103")], end: false)),
        ("unknown frames", [], Hand.frame(type: 0x42, [1, 2, 3])),
        ("PRIORITY", [], Hand.frame(.priority, stream: 1, [0, 0, 0, 3, 16])),
        ("RST_STREAM of a closed stream", Hand.reset(1, 8), Hand.reset(1, 8)),
        ("DATA of a closed stream", Hand.reset(1, 8), Hand.data(1, [1], end: false)),
        ("HEADERS of a closed stream", Hand.reset(1, 8), Hand.headers(1, [(":status", "200")], end: true)),
        ("pongs", [], Hand.frame(.ping, flags: 1, Array(repeating: 0, count: 8))),
        ("windows of a closed stream", Hand.reset(1, 8), Hand.windowUpdate(1, 1)),
        ("GOAWAY", [], Hand.goAway(last: 5, 0, "{}")),
    ]

    @Test(arguments: floods.indices)
    func bytesWithoutAnAnswerEndTheSession(index: Int) throws {
        let flood = Self.floods[index]
        let client = try ClientSession.make { $0.maxIdleBytes = 200_000 }
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for tag in 0..<Self.requests { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        var events = try client.receive(flood.opening)
        let burst = Array(repeatElement(flood.frame, count: max(1, 20_000 / flood.frame.count)).joined())
        var received = 0
        let error = #expect(throws: SessionError.self, "\(flood.name)") {
            while received < 10 * 200_000 {
                try burst.withUnsafeBytes { try client.receive($0, into: &events) }
                received += burst.count
                // What it makes us say is said, so that nothing piles up here.
                _ = try client.produceAll()
                if let failure = client.failure { throw failure }
            }
        }
        #expect(received <= 200_000 + burst.count, "\(flood.name): \(received)")
        #expect(error?.reason == .enhanceYourCalm || error?.code == .flooded, "\(flood.name): \(error?.sentence ?? "")")
        let ended = events.compactMap(\.ended)
        #expect(Set(ended).count == ended.count)
        #expect((client.openStreams().map(\.stream) + ended).sorted() == [1, 3, 5])
    }

    @Test func aRepeatedGoAwayIsIgnored() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for tag in 0..<Self.requests { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        let goAway = Hand.goAway(last: 3, 0)
        let events = try client.receive(goAway + goAway + goAway)
        #expect(events == [.goAway(lastStreamID: 3, .noError, debugData: []), .closed(5, tag: 2, .refusedStream)])
        // One that refuses more is heard.
        let lower = try client.receive(Hand.goAway(last: 1, 0) + goAway.prefix(0))
        #expect(lower == [.goAway(lastStreamID: 1, .noError, debugData: []), .closed(3, tag: 1, .refusedStream)])
        #expect(client.failure == nil && client.openStreams().map(\.stream) == [1])
    }

    @Test func moreThanAFewGoAwaysEndTheSession() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for tag in 0..<Self.requests { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        let goAway = Hand.goAway(last: 5, 0)
        for _ in 0..<10 { _ = try client.receive(goAway) }
        #expect(client.failure == nil)
        var events: [ClientEvent] = []
        let error = #expect(throws: SessionError.self) {
            let burst = Array(repeatElement(goAway, count: 1_000).joined())
            try burst.withUnsafeBytes { try client.receive($0, into: &events) }
        }
        #expect(error?.reason == .enhanceYourCalm && events.isEmpty)
        #expect(client.openStreams().map(\.stream) == [1, 3, 5])
        let words = Hand.frames(in: client.lastWords())
        #expect(words.last?.isKind(.goAway) == true)
    }

    @Test func answersInTimeKeepTheSessionOpen() throws {
        let client = try ClientSession.make { $0.maxIdleBytes = 10_000 }
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        let noise = Array(repeatElement(Hand.frame(type: 0x42, [1, 2, 3]), count: 500).joined())
        for _ in 0..<100 {
            let stream = try client.post()
            _ = try client.produceAll()
            let events = try client.receive(noise + Hand.headers(Int(stream), [(":status", "200")], end: true))
            #expect(events.compactMap(\.ended) == [stream])
        }
        #expect(client.failure == nil)
    }

    @Test func aHeaderBlockContinuedWithoutEndEndsTheSession() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        _ = try client.post()
        _ = try client.produceAll()
        let error = #expect(throws: SessionError.self) {
            _ = try client.receive(Hand.frame(.headers, stream: 1, [0x88]))
            for _ in 0..<1_000 {
                _ = try client.receive(Hand.frame(.continuation, stream: 1, Hand.block([("a", "b")])))
            }
        }
        #expect(error?.code == .flooded)
        #expect(client.openStreams().map(\.stream) == [1])
    }

    /// One byte stands for a field of 4,000: sixteen kilobytes on the wire, sixty megabytes unpacked.
    @Test func aHeaderBlockThatUnpacksWithoutEndIsCutAndItsStatusHolds() throws {
        let client = try ClientSession.make()
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for tag in 0..<2 { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        let bomb =
            [0x88] + Hand.indexed("x", String(repeating: "y", count: 4_000))
            + Array(repeating: Hand.latestField, count: 12_000)
        let events = try client.receive(
            Hand.frame(.headers, flags: Hand.endHeaders | Hand.endStream, stream: 1, bomb)
                + Hand.headers(3, [(":status", "200")], end: true))
        let response = try #require(events.first?.response)
        #expect(response.status == 200 && !response.isComplete && response.headers.byteCount <= 16_384)
        #expect(events.compactMap(\.ended) == [1, 3])
        #expect(client.failure == nil)
    }

    @Test func bodiesAreKeptUpToTheirBoundOnEveryStream() throws {
        let client = try ClientSession.make { $0.maxBodyBytes = 1_000 }
        _ = try client.receive(Hand.settings([(3, 1_000)]))
        for tag in 0..<100 { _ = try client.post(tag: tag) }
        _ = try client.produceAll()
        var events: [ClientEvent] = []
        for stream in stride(from: 1, to: 200, by: 2) {
            let bytes =
                Hand.headers(stream, [(":status", "200")], end: false)
                + Hand.data(stream, Array(repeating: 1, count: 16_000), end: false)
                + Hand.data(stream, Array(repeating: 1, count: 16_000), end: true)
            try bytes.withUnsafeBytes { try client.receive($0, into: &events) }
            _ = try client.produceAll()
        }
        #expect(events.compactMap(\.response).count == 100)
        #expect(events.compactMap(\.response).allSatisfy { $0.body.count == 1_000 && !$0.isComplete })
        #expect(client.failure == nil && client.streamsHeld == 0)
    }
}
