import HandWrittenFrames
import PushHTTP2
import Testing

/// What a server makes of a client's frames, all of them written by hand.
@Suite struct ServerReceptionTests {
    typealias Hand = HandWritten

    static let greeting = Hand.preface + Hand.settings()

    func fields(_ more: [(String, String)] = []) -> [(String, String)] {
        [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/ab")] + more
    }

    func server(_ change: (inout ServerSession.Configuration) -> Void = { _ in }) throws -> ServerSession {
        let server = try ServerSession.make(change)
        _ = try server.receive(Self.greeting)
        _ = try server.produceAll()
        _ = try server.receive(Hand.settingsAcknowledgement)
        return server
    }

    @Test(arguments: [":authority", "host"])
    func requestsNameTheirHostEitherWay(name: String) throws {
        let server = try server()
        let all = name == "host" ? fields([("host", "h")]) : fields([(":authority", "h")])
        let events = try server.receive(Hand.headers(1, all, end: false) + Hand.data(1, [1, 2], end: true))
        #expect(events.count == 2)
        guard case .headersReceived(1, let headers, endsStream: false) = events[0] else { return #expect(Bool(false)) }
        #expect(headers.first(name) == "h")
        let request = try #require(events[1].request)
        #expect(request.body == [1, 2] && request.bodyLength == 2 && !request.isTruncated && request.hasAllHeaders)
        #expect(request.headers == headers)
    }

    @Test func aRequestWithoutABodyIsCompleteAtOnce() throws {
        let server = try server()
        let events = try server.receive(Hand.headers(1, fields([("host", "h")]), end: true))
        #expect(events.count == 2)
        #expect(events.last?.request?.body == [])
    }

    @Test func aLongBodyIsCutAndCounted() throws {
        let server = try server { $0.maxBodyBytes = 100 }
        let events = try server.receive(
            Hand.headers(1, fields([("host", "h")]), end: false)
                + Hand.data(1, Array(repeating: 1, count: 90), end: false)
                + Hand.data(1, Array(repeating: 2, count: 16_000), end: true))
        let request = try #require(events.last?.request)
        #expect(request.body == Array(repeating: 1, count: 90) + Array(repeating: 2, count: 10))
        #expect(request.bodyLength == 16_090 && request.isTruncated)
    }

    @Test func tooManyHeadersAreLeftOut() throws {
        let server = try server { $0.maxHeaderFields = 10 }
        let more = (0..<50).map { ("x-\($0)", "y") }
        let request = try server.receive(Hand.headers(1, fields([("host", "h")] + more), end: true)).last?.request
        #expect(request?.headers.count == 10)
        #expect(request?.hasAllHeaders == false)
    }

    @Test func theClientsGoAwayAndResetAreReported() throws {
        let server = try server()
        let events = try server.receive(
            Hand.headers(1, fields([("host", "h")]), end: false) + Hand.reset(1, 8) + Hand.goAway(last: 0, 0, "bye"))
        #expect(
            Array(events.dropFirst()) == [
                .reset(1, .cancel), .closed(1, .cancel),
                .goAway(lastStreamID: 0, .noError, debugData: Array("bye".utf8)),
            ])
    }

    @Test func aRequestAboveAnAcknowledgedLimitEndsTheConnection() throws {
        let server = try server { $0.settings = ServerSettings(maxConcurrentStreams: 1) }
        _ = try server.receive(Hand.headers(1, fields([("host", "h")]), end: true))
        _ = try server.receive(Hand.headers(3, fields([("host", "h")]), end: true))
        let frames = Hand.frames(in: try server.produceAll())
        #expect(frames.contains { $0.isKind(.goAway) })
        #expect(server.isFinished)
        #expect(server.failure?.reason == .protocolError)
        #expect(throws: SessionError.self) { try server.receive(Hand.settings()) }
    }

    @Test func whoeverSpeaksAnotherProtocolIsTurnedAway() throws {
        let server = try ServerSession.make()
        #expect { try server.receive(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) } throws: {
            ($0 as? SessionError)?.code == .protocolViolation
        }
        #expect(server.isFinished || server.failure != nil)
    }

    @Test func informationalAnswersComeBeforeTheFinalOne() throws {
        let server = try server()
        _ = try server.receive(Hand.headers(1, fields([("host", "h")]), end: true))
        server.inform(1, fields: responseFields("103"))
        server.respond(1, fields: responseFields("200"))
        let frames = Hand.frames(in: try server.produceAll()).filter { $0.isKind(.headers) }
        #expect(frames.map { $0.flags & Hand.endStream } == [0, Hand.endStream])
        #expect(server.laterEvents() == [.closed(1, .noError)])
    }

    @Test func theSameEventsComeWhereverTheBytesAreSplit() throws {
        let bytes =
            Self.greeting + Hand.settingsAcknowledgement
            + Hand.frame(.headers, stream: 1, Hand.block(fields()))
            + Hand.frame(.continuation, flags: 4, stream: 1, Hand.block([("host", "h")]))
            + Hand.data(1, Array("{}".utf8), end: true) + Hand.frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
            + Hand.headers(3, fields([("host", "h")]), end: false) + Hand.reset(3, 8) + Hand.goAway(last: 0, 0)
        func events(_ pieces: [ArraySlice<UInt8>]) throws -> [ServerEvent] {
            let server = try ServerSession.make()
            _ = try server.produceAll()
            return try pieces.flatMap { try server.receive(Array($0)) }
        }
        let whole = try events([bytes[...]])
        #expect(whole.count == 9)
        for split in 0...bytes.count { #expect(try events([bytes[..<split], bytes[split...]]) == whole) }
        #expect(try events(bytes.indices.map { bytes[$0...$0] }) == whole)
    }
}
