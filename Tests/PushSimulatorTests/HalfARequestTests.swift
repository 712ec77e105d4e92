import HandWrittenFrames
import ProcessRuntime
import PushSimulator
import Testing

private typealias Hand = HandWritten

/// Where a provider stops in the middle of a request.
enum HalfARequest: CaseIterable, Sendable {
    /// In the nine bytes that begin a frame.
    case inTheBeginningOfAFrame
    /// In the fields of a HEADERS frame.
    case amongTheFields
    /// After HEADERS without END_HEADERS.
    case beforeTheContinuation
    /// After the whole head.
    case beforeTheBody

    /// Writes the first half; true once the simulator has read it.
    func begin(_ rehearsal: Rehearsal, _ provider: TestProvider) async -> Bool {
        // From now on its session has nothing to say: it has acknowledged the SETTINGS, which came before the first answer.
        for ping: UInt64 in 1...2 {
            provider.ping(ping)
            guard await provider.wait({ $0.contains { if case .pong(ping) = $0 { true } else { false } } }) else {
                return false
            }
        }
        // The answer to a PING in the same TLS record says so.
        provider.write(Hand.frame(.ping, [UInt8](repeating: 7, count: 8)) + halves(rehearsal).first)
        return await provider.waitForFrames { $0.count { $0.type == Hand.Kind.ping.rawValue } == 3 }
    }

    func end(_ rehearsal: Rehearsal, _ provider: TestProvider) { provider.write(halves(rehearsal).second) }

    /// A good push on stream 1, cut in two.
    private func halves(_ rehearsal: Rehearsal) -> (first: [UInt8], second: [UInt8]) {
        let fields = rehearsal.headers()
        let block = Hand.block(fields)
        let body = Hand.data(1, Array("{\"aps\":{}}".utf8), end: true)
        let whole = Hand.headers(1, fields, end: false) + body
        switch self {
        case .inTheBeginningOfAFrame: return (Array(whole.prefix(5)), Array(whole.dropFirst(5)))
        case .amongTheFields: return (Array(whole.prefix(40)), Array(whole.dropFirst(40)))
        case .beforeTheContinuation:
            let rest = Hand.frame(.continuation, flags: Hand.endHeaders, stream: 1, Array(block.dropFirst(40)))
            return (Hand.frame(.headers, stream: 1, Array(block.prefix(40))), rest + body)
        case .beforeTheBody: return (Array(whole.dropLast(body.count)), body)
        }
    }
}

/// Providers that stop in the middle of a request.
@Suite(.timeLimit(.minutes(5))) struct HalfARequestTests {
    @Test(arguments: HalfARequest.allCases)
    func whoStopsInTheMiddleOfARequestKeepsNobodyWaitingAndMayGoOn(_ half: HalfARequest) async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(.loopback) { $0.time = time }
        let provider = try await rehearsal.provider()
        try #require(await half.begin(rehearsal, provider))
        time.advance(by: .seconds(3_600))
        let other = try await rehearsal.provider()
        other.push(rehearsal.headers())
        try #require(await other.waitForResponses(1))
        #expect(rehearsal.apns.ledger.snapshot.pushes == 1 && rehearsal.apns.connectionCount == 2)
        half.end(rehearsal, provider)
        #expect(await rehearsal.apns.ledger.wait { $0.pushes == 2 })
        #expect(rehearsal.apns.ledger.records.map(\.status) == [200, 200])
    }

    @Test func aHeadWithoutAnEndEndsTheConnection() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        try #require(await HalfARequest.beforeTheContinuation.begin(rehearsal, provider))
        for number in 0..<100 {
            provider.write(Hand.frame(.continuation, stream: 1, Hand.block([("x-\(number)", "1")])))
        }
        #expect(await provider.waitUntilClosed())
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 })
        #expect(rehearsal.apns.ledger.snapshot.pushes == 0)
    }
}
