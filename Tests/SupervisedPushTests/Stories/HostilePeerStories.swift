import HandWrittenFrames
import ProcessRuntime
import SupervisedPush
import TestSupport
import Testing

/// A peer that breaks the protocol or bends it, through the whole stack: what becomes of the pushes in flight, and that
/// the connection comes back. The rows stand in docs/peer-behaviour.md.
@Suite(.timeLimit(.minutes(5))) struct HostilePeerStories {
    typealias Hand = HandWritten

    /// What ends a link while three pushes fly, the second of which was answered.
    static let violations: [(name: String, bytes: [UInt8], says: String)] = [
        (
            "a push", Hand.frame(.pushPromise, flags: 4, stream: 1, Hand.number(2, bytes: 4) + [0x82]),
            "PUSH_PROMISE: push is off"
        ),
        ("HTTP/1.1", Array("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n".utf8), "speaks HTTP/1"),
        ("HTML", Array(repeating: UInt8(ascii: "<"), count: 3_000), "FRAME_SIZE_ERROR"),
        ("an unopened stream", Hand.headers(99, [(":status", "200")], end: true), "PROTOCOL_ERROR"),
        (
            "a broken header block", Hand.frame(.headers, flags: 5, stream: 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            "COMPRESSION_ERROR"
        ),
        ("an impossible window", Hand.settings([(4, 0xffff_ffff)]), "FLOW_CONTROL_ERROR"),
        ("a window beyond 2^31-1", Hand.windowUpdate(0, 0x7fff_ffff), "FLOW_CONTROL_ERROR"),
        ("DATA before HEADERS", Hand.data(1, [1], end: true), "PROTOCOL_ERROR"),
        (
            "pings without end",
            Array(repeatElement(Hand.frame(.ping, Array(repeating: 0, count: 8)), count: 5_000).joined()), "floods"
        ),
        ("settings without end", Array(repeatElement(Hand.settings([(4, 1)]), count: 5_000).joined()), "floods"),
        (
            "a header block without end",
            Hand.frame(.headers, stream: 1, [0x88])
                + Array(repeatElement(Hand.frame(.continuation, stream: 1), count: 200).joined()), "floods"
        ),
        ("rising GOAWAYs", Hand.goAway(last: 5, 0) + Hand.goAway(last: 7, 0), "PROTOCOL_ERROR"),
    ]

    @Test(arguments: violations.indices)
    func aViolationEndsTheLinkAndTheNextOneServes(index: Int) async throws {
        let violation = Self.violations[index]
        let answer = Hand.headers(3, [(":status", "200")], end: true)
        let stage = try HandWrittenStage { number in
            number == 1 ? HandWrittenPeer.saying(answer + violation.bytes, after: 3) : HandWrittenPeer.obedient
        }
        try stage.connect()
        let book = OutcomeBook()
        stage.push(3, into: book)
        await book.wait(for: 3)
        #expect(book.summary == ["accepted": 1, "connection_lost unknown": 2], "\(violation.name)")
        // Nothing that was written goes out again; what is called now does.
        stage.push(1, from: 3, into: book)
        await book.wait(for: 4)
        #expect(book.endedOnceEach && book.summary["accepted"] == 2, "\(violation.name)")
        #expect(stage.peer.conversations.last?.wholeRequests == 1)
        if case .failure(let error)? = book.outcomes(0).first {
            #expect(
                error.layer == .http2 && error.description.contains(violation.says),
                "\(violation.name): \(error.description)")
        }
        await stage.end()
    }

    @Test func aPeerThatBreaksTheProtocolIsToldSo() async throws {
        let (told, tell) = AsyncStream<HandWritten.Found>.makeStream()
        let stage = try HandWrittenStage { number in
            guard number == 1 else { return HandWrittenPeer.obedient }
            let violation = HandWrittenPeer.saying(Hand.data(0, [1], end: false), after: 1)
            return { conversation, happening in
                if case .frame(let frame) = happening, frame.isKind(.goAway) { tell.yield(frame) }
                violation(conversation, happening)
            }
        }
        try stage.connect()
        let book = OutcomeBook()
        stage.push(1, into: book)
        await book.wait(for: 1)
        let frame = await told.first { _ in true }
        #expect(frame?.payload[4..<8] == [0, 0, 0, 1])
        await stage.end()
    }

    @Test func whatHasAStatusIsAnsweredThoughTheRestOfItNeverCame() async throws {
        let endings: [@Sendable (HandWrittenConversation) -> Void] = [
            { $0.close() }, { $0.cut() }, { $0.write(Hand.data(0, [1], end: false)) },
            { $0.write(Hand.reset(1, 2)) }, { $0.write(Hand.reset(1, 7)) },
            {
                $0.write(
                    Array(
                        repeatElement(Hand.data(1, Array(repeating: 1, count: 16_000), end: false), count: 2).joined()))
            },
            { $0.write(Hand.headers(1, [(":status", "200")], end: false)) },
            { $0.writeRaw(Array("no TLS".utf8)) },
        ]
        for ending in endings {
            let answer =
                Hand.headers(1, [(":status", "410")], end: false) + Hand.data(1, Array(#"{"reason":"#.utf8), end: false)
            let stage = try HandWrittenStage { _ in HandWrittenPeer.saying(answer, after: 1, then: ending) }
            try stage.connect()
            let book = OutcomeBook()
            stage.push(1, into: book)
            await book.wait(for: 1)
            guard case .success(let response)? = book.outcomes(0).first else {
                Issue.record("\(book.summary)")
                continue
            }
            #expect(response.status == 410 && !response.isComplete && response.reason == nil)
            #expect(response.body.count <= 16_384)
            await stage.end()
        }
    }

    static let answers: [(name: String, bytes: [UInt8], outcome: String)] = [
        ("an odd status", Hand.headers(1, [(":status", "abc")], end: true), "bad_response unknown"),
        ("no status", Hand.headers(1, [("apns-id", "x")], end: true), "bad_response unknown"),
        ("a status of 700", Hand.headers(1, [(":status", "700")], end: true), "bad_response unknown"),
        ("101", Hand.headers(1, [(":status", "101")], end: false), "bad_response unknown"),
        ("103 as the last", Hand.headers(1, [(":status", "103")], end: true), "bad_response unknown"),
        (
            "a field of HTTP/1.1", Hand.headers(1, [(":status", "200"), ("connection", "close")], end: true),
            "bad_response unknown"
        ),
        ("CANCEL", Hand.reset(1, 8), "stream_reset unknown"),
        ("NO_ERROR", Hand.reset(1, 0), "stream_reset unknown"),
        ("a window beyond 2^31-1", Hand.windowUpdate(1, 0x7fff_ffff), "bad_response unknown"),
        (
            "two answers",
            Hand.headers(1, [(":status", "200")], end: true) + Hand.headers(1, [(":status", "500")], end: true),
            "accepted"
        ),
        (
            "a second answer before the end",
            Hand.headers(1, [(":status", "200")], end: false) + Hand.headers(1, [(":status", "500")], end: true),
            "accepted"
        ),
        (
            "informational answers",
            Array(repeatElement(Hand.headers(1, [(":status", "103")], end: false), count: 500).joined())
                + Hand.headers(1, [(":status", "200")], end: true), "accepted"
        ),
        (
            "blanks at the ends of values",
            Hand.headers(1, [(":status", "200"), ("apns-id", " 0 "), ("x-proxy", "a value ")], end: true), "accepted"
        ),
        (
            "trailers", Hand.headers(1, [(":status", "200")], end: false) + Hand.headers(1, [("x", "y")], end: true),
            "accepted"
        ),
        (
            "too many fields",
            Hand.longHeaders(1, [(":status", "200")] + (0..<500).map { ("x-\($0)", "y") }, end: true), "accepted"
        ),
    ]

    @Test(arguments: answers.indices)
    func anOddAnswerEndsItsPushAndNoOther(index: Int) async throws {
        let odd = Self.answers[index]
        // Stream 3 is answered behind it: the link lives.
        let stage = try HandWrittenStage { _ in
            HandWrittenPeer.saying(odd.bytes + Hand.headers(3, [(":status", "200")], end: true), after: 2)
        }
        try stage.connect()
        let book = OutcomeBook()
        stage.push(2, into: book)
        await book.wait(for: 2)
        var expected = ["accepted": 1]
        expected[odd.outcome, default: 0] += 1
        #expect(book.summary == expected && book.endedOnceEach, "\(odd.name)")
        #expect(stage.peer.conversations.count == 1)
        await stage.end()
    }

    @Test func framesOfClosedStreamsAndUnknownOnesChangeNothing() async throws {
        let noise =
            Hand.headers(1, [(":status", "200")], end: true) + Hand.data(1, [1], end: true) + Hand.reset(1, 7)
            + Hand.windowUpdate(1, 7) + Hand.frame(type: 0xa, [0, 0, 1]) + Hand.frame(type: 0xc, [0, 1, 2])
            + Hand.frame(.priority, stream: 9, [0, 0, 0, 3, 16]) + Hand.frame(type: 0x77, flags: 0xff, stream: 3, [1])
            + Hand.headers(3, [(":status", "200")], end: true)
        let stage = try HandWrittenStage { _ in HandWrittenPeer.saying(noise, after: 2) }
        try stage.connect()
        let book = OutcomeBook()
        stage.push(2, into: book)
        await book.wait(for: 2)
        #expect(book.summary == ["accepted": 2] && book.endedOnceEach)
        #expect(stage.peer.conversations.count == 1)
        await stage.end()
    }

    // MARK: Doors that stay shut

    @Test("parity: F20 – without a window one push begins, none is processed, and the errors say so")
    func withoutAWindowNoPushIsProcessedAndItsErrorSaysSo() async throws {
        let stage = try HandWrittenStage { _ in
            HandWrittenPeer.saying([], after: .max, settings: Hand.settings([(3, 100), (4, 0)]))
        }
        try stage.connect { $0.timeout = .seconds(2) }
        let book = OutcomeBook()
        stage.push(3, into: book)
        await until { stage.peer.conversations.first?.frames.count(where: { $0.isKind(.headers) }) == 1 }
        stage.time.advance(by: .seconds(2))
        await book.wait(for: 3)
        #expect(book.summary == ["timed_out unprocessed": 1, "timed_out not_sent": 2])
        #expect(stage.peer.conversations.first?.wholeRequests == 0)
        await stage.end()
    }

    @Test func aLimitOfNoStreamsSendsNothing() async throws {
        let stage = try HandWrittenStage { _ in
            HandWrittenPeer.saying([], after: .max, settings: Hand.settings([(3, 0)]))
        }
        try stage.connect { $0.timeout = .seconds(2) }
        let book = OutcomeBook()
        stage.push(3, into: book)
        try await until { try stage.runtime.connection(named: "orders").load.waiting == 3 }
        await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(2)))
        stage.time.advance(by: .seconds(2))
        await book.wait(for: 3)
        #expect(book.summary == ["timed_out not_sent": 3])
        await stage.end()
    }

    @Test func aPeerThatNeverSaysSettingsIsLeft() async throws {
        let stage = try HandWrittenStage { number in number == 1 ? HandWrittenPeer.silent : HandWrittenPeer.obedient }
        try stage.connect { $0.liveness.connectTimeout = .seconds(5) }
        let book = OutcomeBook()
        stage.push(1, into: book)
        await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(5)))
        stage.time.advance(by: .seconds(5))
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1])
        #expect(stage.peer.conversations.count == 2)
        await stage.end()
    }

    // MARK: GOAWAY

    @Test func theDebugDataOfAGoAwayNeverHarms() async throws {
        let data: [[UInt8]] = [
            [], Array(repeating: 0xff, count: 16_000), Array(repeating: UInt8(ascii: "["), count: 16_000),
            Array(#"{"reason":"\#(String(repeating: "x", count: 900))"}"#.utf8), Array(#"{"reason":"a\nb"}"#.utf8),
            Array(#"{"reason":12345678901234567890123456789}"#.utf8),
            Array(#"{"reason":"Shutdown","timestamp":1e400}"#.utf8),
            [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d],
        ]
        for data in data {
            let stage = try HandWrittenStage { number in
                guard number == 1 else { return HandWrittenPeer.obedient }
                let answers = Hand.headers(1, [(":status", "200")], end: true)
                return HandWrittenPeer.saying(Hand.goAway(last: 1, 0, data: data) + answers, after: 2)
            }
            try stage.connect()
            let book = OutcomeBook()
            stage.push(2, into: book)
            await book.wait(for: 2)
            #expect(book.summary == ["accepted": 2] && book.endedOnceEach)
            let reasons = stage.messages.compactMap {
                if case .draining(_, _, _, let reason?) = $0 { reason } else { nil }
            }
            #expect(reasons.allSatisfy { $0.utf8.count <= 128 && !$0.contains("\n") })
            await stage.end()
        }
    }
}
