import HandWrittenFrames
import PushHTTP2
import Testing

/// Client and server joined in one thread, without a socket.
@Suite struct JoinedSessionsTests {
    func join(
        limit: Int? = 1_000, _ change: (inout ClientSession.Configuration) -> Void = { _ in }
    ) throws -> JoinedSessions {
        JoinedSessions(
            client: try ClientSession.make(change),
            server: try ServerSession.make { $0.settings = ServerSettings(maxConcurrentStreams: limit) })
    }

    @Test func thousandsOfRequestsAreAnsweredOnce() throws {
        var joined = try join()
        try joined.exchange()
        for round in 0..<10 {
            for index in 0..<1_000 { _ = try joined.client.post("{\"n\":\(index)}", tag: round * 1_000 + index) }
            try joined.exchange()
        }
        let answers = joined.clientEvents.compactMap(\.response)
        #expect(answers.count == 10_000)
        #expect(answers.map(\.tag).sorted() == Array(0..<10_000))
        #expect(answers.allSatisfy { $0.isComplete && $0.status == 200 })
        #expect(answers.allSatisfy { $0.headers.first("apns-id") == "id-\($0.stream)" })
        #expect(joined.clientEvents.compactMap(\.ended).count == 10_000)
        #expect(joined.client.streamsHeld == 0)
        #expect(joined.server.openStreamCount == 0)
        let requests = joined.serverEvents.compactMap(\.request)
        let odd = [StreamID](stride(from: 1, to: 20_000, by: 2))
        #expect(requests.map(\.stream) == odd)
        #expect(requests.allSatisfy { $0.headers.first("authorization") == "bearer secret" })
    }

    @Test func anAnswerMayBeBegunAndFinishedLater() throws {
        var joined = try join()
        var begun: [StreamID] = []
        joined.onRequest = { server, request in
            server.begin(request.stream, fields: responseFields("410"))
            begun.append(request.stream)
        }
        try joined.exchange()
        _ = try joined.client.post(tag: 7)
        try joined.exchange()
        #expect(joined.clientEvents.compactMap(\.response).isEmpty)
        #expect(joined.server.finish(try #require(begun.first), body: Array("late".utf8)))
        try joined.exchange()
        let answer = try #require(joined.clientEvents.compactMap(\.response).first)
        #expect(answer.status == 410 && answer.isComplete && answer.body == Array("late".utf8))
        #expect(joined.server.openStreamCount == 0)
        #expect(!joined.server.finish(1) && !joined.server.begin(1, fields: responseFields("200")))
    }

    @Test func whatExceedsTheLimitWaitsAndFollowsItUp() throws {
        var joined = try join(limit: 1)
        var held: [StreamID] = []
        joined.onRequest = { _, request in held.append(request.stream) }
        try joined.exchange()
        for tag in 0..<1_000 { _ = try joined.client.post(tag: tag) }
        try joined.exchange()
        #expect(held == [1])
        try joined.server.submit(ServerSettings(maxConcurrentStreams: 1_000))
        try joined.exchange()
        #expect(held.count == 1_000)
        for stream in held { joined.server.respond(stream, fields: responseFields("200")) }
        try joined.exchange()
        #expect(joined.clientEvents.compactMap(\.response).count == 1_000)
        let limits = joined.clientEvents.compactMap { event -> Int? in
            if case .settings(let settings) = event { settings.maxConcurrentStreams } else { nil }
        }
        #expect(limits == [1, 1_000])
        #expect(joined.serverEvents.filter { $0 == .settingsAcknowledged }.count == 2)
    }

    @Test func streamsOpenedBeforeALowerLimitIsKnownAreRefused() throws {
        let client = try ClientSession.make()
        let server = try ServerSession.make { $0.settings = ServerSettings(maxConcurrentStreams: 1) }
        for tag in 0..<3 { _ = try client.post(tag: tag) }
        let requests = try server.receive(try client.produceAll())
        #expect(requests.compactMap(\.request).map(\.stream) == [1])
        let events = try client.receive(try server.produceAll())
        let ended = events.filter { $0.ended != nil }
        #expect(ended == [.closed(3, tag: 1, .refusedStream), .closed(5, tag: 2, .refusedStream)])
        #expect(client.openStreams().map(\.stream) == [1])
    }

    @Test func aShutdownInTwoStepsLosesNothing() throws {
        var joined = try join()
        var held: [StreamID] = []
        joined.onRequest = { _, request in held.append(request.stream) }
        for tag in 0..<3 { _ = try joined.client.post(tag: tag) }
        try joined.exchange()
        // Two more are on their way when the notice is given.
        for tag in 3..<5 { _ = try joined.client.post(tag: tag) }
        let underWay = try joined.client.produceAll()
        joined.server.shutdownNotice()
        let notice = try joined.client.receive(try joined.server.produceAll())
        #expect(notice == [.goAway(lastStreamID: StreamID.max, .noError, debugData: [])])
        held += try joined.server.receive(underWay).compactMap(\.request).map(\.stream)
        #expect(held == [1, 3, 5, 7, 9])
        joined.server.goAway(debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        for stream in held { joined.server.respond(stream, fields: responseFields("200")) }
        try joined.exchange()
        #expect(joined.clientEvents.compactMap(\.response).map(\.stream).sorted() == held)
        #expect(
            joined.clientEvents.contains(
                .goAway(lastStreamID: 9, .noError, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))))
        #expect(joined.client.isFinished && joined.server.isFinished)
        #expect(joined.client.failure == nil && joined.server.failure == nil)
    }

    @Test func goAwayClosesWhatIsAboveItOnBothSides() throws {
        var joined = try join()
        joined.onRequest = { _, _ in }
        for tag in 0..<4 { _ = try joined.client.post(tag: tag) }
        try joined.exchange()
        joined.server.goAway(lastStreamID: 3, code: .enhanceYourCalm, debugData: [1])
        try joined.exchange()
        let news = joined.clientEvents.drop { if case .goAway = $0 { false } else { true } }
        #expect(
            Array(news) == [
                .goAway(lastStreamID: 3, .enhanceYourCalm, debugData: [1]), .closed(5, tag: 2, .refusedStream),
                .closed(7, tag: 3, .refusedStream),
            ])
        let closed = joined.serverEvents.compactMap { event -> StreamID? in
            if case .closed(let stream, _) = event { stream } else { nil }
        }
        #expect(closed.sorted() == [5, 7])
        #expect(joined.server.failure == nil)
        #expect(joined.server.respond(1, fields: responseFields("200")))
        #expect(!joined.server.respond(5, fields: responseFields("200")))
        try joined.exchange()
        #expect(joined.clientEvents.compactMap(\.response).map(\.stream) == [1])
    }

    @Test func resetsReachTheOtherSide() throws {
        var joined = try join()
        joined.onRequest = { _, _ in }
        for tag in 0..<3 { _ = try joined.client.post(tag: tag) }
        try joined.exchange()
        joined.client.reset(1, code: .cancel)
        joined.server.reset(3, code: .internalError)
        try joined.exchange()
        #expect(joined.serverEvents.contains(.reset(1, .cancel)))
        #expect(joined.serverEvents.contains(.closed(1, .cancel)))
        #expect(joined.clientEvents.last == .closed(3, tag: 1, .internalError))
        #expect(joined.clientEvents.compactMap(\.ended) == [3])
        #expect(!joined.server.respond(1, fields: responseFields("200")))
        #expect(joined.client.openStreams().map(\.stream) == [5])
    }

    @Test func largeBodiesCrossInPiecesOfTheWindows() throws {
        var joined = try join { $0.maxBodyBytes = 1_000_000 }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        joined.onRequest = { server, request in
            server.respond(request.stream, fields: responseFields("200"), body: body)
        }
        for tag in 0..<3 { _ = try joined.client.submit(requestFields(), body: body, tag: tag) }
        try joined.exchange(limit: 1_000)
        let answers = joined.clientEvents.compactMap(\.response)
        #expect(answers.count == 3)
        #expect(answers.allSatisfy { $0.body == body && $0.isComplete })
        let requests = joined.serverEvents.compactMap(\.request)
        #expect(
            requests.allSatisfy {
                $0.bodyLength == body.count && $0.isTruncated && $0.body == body.prefix(16_384).map { $0 }
            })
    }

    @Test func anEarlyAnswerEndsAnUnfinishedRequest() throws {
        let client = try ClientSession.make()
        let server = try ServerSession.make { $0.settings = ServerSettings(initialWindowSize: 10) }
        _ = try client.receive(try server.produceAll())
        _ = try client.post(String(repeating: "x", count: 50))
        let events = try server.receive(try client.produceAll())
        #expect(events.contains { if case .headersReceived(1, _, endsStream: false) = $0 { true } else { false } })
        #expect(server.respond(1, fields: responseFields("413"), body: Array("{}".utf8)))
        let bytes = try server.produceAll()
        let reset = HandWritten.frames(in: bytes).last
        #expect(reset?.isKind(.rstStream) == true && reset?.payload == [0, 0, 0, 0])
        let answer = try client.receive(bytes)
        #expect(answer.compactMap(\.response?.status) == [413])
        #expect(answer.compactMap(\.ended) == [1])
        #expect(answer.first { $0.ended != nil }?.response?.isComplete == true)
        #expect(client.streamsHeld == 0 && server.openStreamCount == 0)
    }

    @Test func pingsAreAnsweredUnlessTheServerIsToldNotTo() throws {
        var joined = try join()
        joined.client.ping(42)
        try joined.exchange()
        #expect(joined.clientEvents.last == .pong(42))
        joined.server.answersPings = false
        joined.client.ping(43)
        joined.server.ping(44)
        try joined.exchange()
        #expect(!joined.clientEvents.contains(.pong(43)))
        #expect(joined.serverEvents.suffix(2).contains(.ping(43)))
        #expect(joined.serverEvents.contains(.pong(44)))
    }

    @Test func injectedBytesKeepTheirPlace() throws {
        var joined = try join()
        joined.onRequest = { _, _ in }
        for tag in 0..<2 { _ = try joined.client.post(tag: tag) }
        try joined.exchange()
        joined.server.respond(1, fields: responseFields("200"))
        try joined.server.inject(HandWritten.reset(3, 11))
        joined.server.ping(1)
        let bytes = try joined.server.produceAll()
        let frames = HandWritten.frames(in: bytes)
        #expect(frames.map(\.kind) == [1, 3, 6])
        #expect(joined.server.producedBytes >= UInt64(bytes.count))
        let events = try joined.client.receive(bytes)
        #expect(events.count == 2)
        #expect(events.last == .closed(3, tag: 1, .enhanceYourCalm))
    }
}
