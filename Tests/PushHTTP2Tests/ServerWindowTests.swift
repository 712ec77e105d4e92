import HandWrittenFrames
import PushHTTP2
import Testing

/// When a server gives back the bytes of bodies that it read (RFC 9113, section 6.9).
@Suite struct ServerWindowTests {
    typealias Hand = HandWritten

    private struct Update: Equatable {
        let stream: Int
        let bytes: Int
    }

    private func greeted(
        _ change: (inout ServerSession.Configuration) -> Void = { _ in }
    ) throws -> (server: ServerSession, greeting: [Update]) {
        let server = try ServerSession.make(change)
        _ = try server.receive(Hand.preface + Hand.settings())
        let greeting = try updates(server)
        _ = try server.receive(Hand.settingsAcknowledgement)
        return (server, greeting)
    }

    /// The WINDOW_UPDATE frames that the server sends now.
    private func updates(_ server: ServerSession) throws -> [Update] {
        Hand.frames(in: try server.produceAll()).filter { $0.isKind(.windowUpdate) }.map { frame in
            Update(stream: frame.stream, bytes: frame.payload.reduce(0) { $0 << 8 | Int($1) })
        }
    }

    private func open(_ stream: Int) -> [UInt8] {
        let fields = [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/ab"), (":authority", "h")]
        return Hand.headers(stream, fields, end: false)
    }

    private func data(_ stream: Int, _ count: Int, end: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        var left = count
        while left > 16_384 {
            bytes += Hand.data(stream, Array(repeating: 1, count: 16_384), end: false)
            left -= 16_384
        }
        return bytes + Hand.data(stream, Array(repeating: 1, count: left), end: end)
    }

    @Test func aConnectionBeginsWithTheWindowOfHTTP2AndMayGetALargerOne() throws {
        #expect(try greeted().greeting.isEmpty)
        let larger = try greeted { $0.connectionWindow = 1 << 20 }
        #expect(larger.greeting == [Update(stream: 0, bytes: 1 << 20 - 65_535)])
    }

    @Test func whatWasReadIsGivenBackAtHalfOfAWindow() throws {
        let (server, _) = try greeted()
        _ = try server.receive(open(1) + data(1, 32_766))
        #expect(try updates(server).isEmpty)
        _ = try server.receive(data(1, 1))
        #expect(try updates(server) == [Update(stream: 0, bytes: 32_767), Update(stream: 1, bytes: 32_767)])
        // The next streams have windows of their own; the connection's goes on.
        _ = try server.receive(data(1, 10, end: true) + open(3) + data(3, 32_757))
        #expect(try updates(server) == [Update(stream: 0, bytes: 32_767)])
    }

    @Test func keptBytesAreReportedAndGivenBackOnDemand() throws {
        let (server, _) = try greeted()
        server.keepsConnectionWindow = true
        server.keepsStreamWindows = true
        let events = try server.receive(open(1) + data(1, 40_000) + open(3) + data(3, 20_000))
        #expect(
            events.filter { if case .bodyRead = $0 { true } else { false } } == [
                .bodyRead(1, 40_000), .bodyRead(3, 20_000),
            ])
        #expect(try updates(server).isEmpty)
        #expect(server.unreturnedBytes == [0: 60_000, 1: 40_000, 3: 20_000])
        server.giveBack(1, to: 0)
        server.giveBack(50_000, to: 1)
        #expect(try updates(server) == [Update(stream: 0, bytes: 1), Update(stream: 1, bytes: 40_000)])
        #expect(server.unreturnedBytes == [0: 59_999, 3: 20_000])
        _ = try server.receive(data(3, 10, end: true))
        #expect(server.unreturnedBytes == [0: 60_009])
        server.giveBack(to: 0)
        server.giveBack(to: 3)
        server.giveBack(to: 99)
        #expect(try updates(server).first == Update(stream: 0, bytes: 60_009))
        #expect(server.unreturnedBytes.isEmpty)
    }

    @Test func oneWindowIsKeptWhileTheOtherIsNot() throws {
        let (server, _) = try greeted()
        server.keepsConnectionWindow = true
        _ = try server.receive(open(1) + data(1, 40_000))
        #expect(try updates(server) == [Update(stream: 1, bytes: 32_768)])
        server.keepsConnectionWindow = false
        server.giveBack(to: 0)
        server.keepsStreamWindows = true
        #expect(try updates(server) == [Update(stream: 0, bytes: 40_000)])
        _ = try server.receive(data(1, 40_000))
        #expect(try updates(server) == [Update(stream: 0, bytes: 32_768)])
    }

    @Test(arguments: [0, 1])
    func aClientThatExceedsAWindowIsTurnedAway(windowOfStream: Int) throws {
        let (server, _) = try greeted()
        server.keepsConnectionWindow = true
        server.keepsStreamWindows = true
        if windowOfStream == 1 {
            server.updateWindow(of: 0, by: 100_000)
        } else {
            server.updateWindow(of: 1, by: 100_000)
        }
        _ = try server.receive(open(1) + data(1, windowOfStream == 1 ? 65_535 : 60_000))
        if windowOfStream == 0 { _ = try server.receive(open(3) + data(3, 5_535)) }
        #expect(server.failure == nil)
        _ = try? server.receive(data(1, 1))
        let frames = Hand.frames(in: try server.produceAll())
        let flowControlError: [UInt8] = [0, 0, 0, 3]
        #expect(
            frames.contains {
                ($0.isKind(.goAway) || $0.isKind(.rstStream)) && $0.payload.suffix(4) == flowControlError
            })
    }

    @Test func aSmallerInitialWindowMakesAWindowNegativeAndWhatWasReadIsGivenBack() throws {
        let (server, _) = try greeted()
        _ = try server.receive(open(1) + data(1, 4_000))
        try server.submit(ServerSettings(initialWindowSize: 1_000))
        #expect(try updates(server).isEmpty)
        // The client stands at 1,000 - 4,000 bytes and can send nothing before this.
        _ = try server.receive(Hand.settingsAcknowledgement)
        #expect(try updates(server) == [Update(stream: 1, bytes: 4_000)])
        _ = try server.receive(data(1, 499))
        #expect(try updates(server).isEmpty)
        _ = try server.receive(data(1, 1))
        #expect(try updates(server) == [Update(stream: 1, bytes: 500)])
    }

    @Test func aWindowThatIsKeptStaysNegative() throws {
        let (server, _) = try greeted()
        server.keepsStreamWindows = true
        _ = try server.receive(open(1) + data(1, 4_000))
        try server.submit(ServerSettings(initialWindowSize: 1_000))
        _ = try server.produceAll()
        _ = try server.receive(Hand.settingsAcknowledgement)
        #expect(try updates(server).isEmpty)
        server.giveBack(3_500, to: 1)
        #expect(try updates(server) == [Update(stream: 1, bytes: 3_500)])
        _ = try server.receive(data(1, 500))
        #expect(server.unreturnedBytes[1] == 1_000)
    }

    @Test(arguments: [1, 100])
    func aBodyPassesThroughASmallWindow(size: Int) throws {
        var joined = JoinedSessions(
            client: try ClientSession.make(),
            server: try ServerSession.make { $0.settings = ServerSettings(initialWindowSize: size) })
        try joined.exchange()
        _ = try joined.client.post(String(repeating: "x", count: 1_000))
        try joined.exchange()
        #expect(joined.serverEvents.compactMap(\.request?.bodyLength) == [1_000])
        #expect(joined.clientEvents.compactMap(\.response?.status) == [200])
    }

    @Test func aWindowOfZeroWaitsForAnUpdate() throws {
        var joined = JoinedSessions(
            client: try ClientSession.make(),
            server: try ServerSession.make { $0.settings = ServerSettings(initialWindowSize: 0) })
        try joined.exchange()
        let stream = try joined.client.post(String(repeating: "x", count: 1_000))
        try joined.exchange()
        #expect(joined.serverEvents.allSatisfy { $0.request == nil })
        #expect(joined.server.unfinishedStreams == [stream])
        joined.server.updateWindow(of: stream, by: 1_000)
        try joined.exchange()
        #expect(joined.serverEvents.compactMap(\.request?.bodyLength) == [1_000])
        #expect(joined.server.unfinishedStreams.isEmpty)
    }

    @Test func anUpdateBeyondTheLargestWindowIsLeftOut() throws {
        let (server, _) = try greeted()
        server.updateWindow(of: 0, by: Int(Int32.max))
        server.updateWindow(of: 0, by: 0)
        server.updateWindow(of: 1, by: 5)
        #expect(try updates(server).isEmpty)
        #expect(server.failure == nil)
    }
}
