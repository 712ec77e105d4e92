import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import PushSimulator

/// Faults that show in the frames: each is looked for in the bytes that came, and in both accounts of it.
@Suite("parity: F8 – faults on the wire", .timeLimit(.minutes(5))) struct WireFaultTests {
    /// A provider whose first push was accepted, and whose second meets `fault`.
    private func meet(
        _ fault: Fault, _ more: [Fault] = [], stage: Rehearsal.Stage = .memory,
        _ configure: (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    ) async throws -> (Rehearsal, TestProvider) {
        let rehearsal = try Rehearsal(stage, configure)
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        for fault in [fault] + more { rehearsal.apns.faults.add(FaultRule(.pushNumber(2), fault, name: "it")) }
        provider.push(rehearsal.headers())
        try #require(await rehearsal.apns.ledger.wait { $0.faults == 1 + more.count })
        let firing = try #require(rehearsal.apns.faults.firings.first)
        #expect((firing.name, firing.connection.number, firing.push, firing.stream) == ("it", 1, 2, 3))
        #expect(firing.openPushes == 1)
        return (rehearsal, provider)
    }

    private func onStream(_ provider: TestProvider, _ stream: Int32 = 3) -> [WireFrame] {
        provider.frames.filter { $0.stream == stream }
    }

    @Test(arguments: Rehearsal.Stage.allCases, [Fault.Cut.finish, .reset])
    func aConnectionEndsBeforeThePushIsProcessed(_ stage: Rehearsal.Stage, _ cut: Fault.Cut) async throws {
        let (rehearsal, provider) = try await meet(.cutUnprocessed(cut), stage: stage)
        #expect(await provider.waitUntilClosed())
        #expect(rehearsal.apns.ledger.snapshot.pushes == 1)
        #expect(provider.responses.count == 1)
    }

    // MARK: Half answers

    @Test func halfAnAnswerStopsAfterHeaders() async throws {
        let (rehearsal, provider) = try await meet(.halfAnswer(HalfAnswer()))
        try #require(await provider.waitForFrames { $0.contains { $0.stream == 3 } })
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(2))
        let frames = onStream(provider)
        #expect(frames.map(\.type) == [WireFrame.headers])
        #expect(frames.allSatisfy { !$0.endsStream && $0.endsHeaders })
        #expect(rehearsal.apns.ledger.snapshot.pushes == 3)
        #expect(rehearsal.apns.ledger.snapshot.answered == 2)
    }

    @Test func halfAnAnswerStopsInTheBodyAndIsReset() async throws {
        let (rehearsal, provider) = try await meet(
            .refuse(.unregistered), [.halfAnswer(HalfAnswer(.body, then: .reset(code: 2)))])
        try #require(await provider.waitForFrames { $0.contains { $0.type == WireFrame.resetStream } })
        let frames = onStream(provider)
        #expect(frames.map(\.type) == [WireFrame.headers, WireFrame.data, WireFrame.resetStream])
        #expect(frames.allSatisfy { $0.type == WireFrame.resetStream || !$0.endsStream })
        #expect(String(decoding: frames[1].payload, as: UTF8.self).hasPrefix(#"{"reason""#))
        #expect(rehearsal.apns.ledger.snapshot.refusals == [.unregistered: 1])
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func halfAFrameIsTheLastThatComes(_ stage: Rehearsal.Stage) async throws {
        let (rehearsal, provider) = try await meet(
            .halfAnswer(HalfAnswer(.frame, then: .cut(.finish))), stage: stage)
        #expect(await provider.waitUntilClosed())
        #expect(onStream(provider).isEmpty)
        #expect(Array(provider.plaintext.suffix(12).dropFirst(3).prefix(6)) == [1, 5, 0, 0, 0, 3])
        #expect(rehearsal.apns.ledger.snapshot.pushes == 2)
    }

    @Test func afterHalfAFrameTheConnectionIsMute() async throws {
        let (rehearsal, provider) = try await meet(.halfAnswer(HalfAnswer(.frame)))
        provider.push(rehearsal.headers())
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 3 })
        await rehearsal.apns.cutConnections(.finish)
        #expect(await provider.waitUntilClosed())
        #expect(Array(provider.plaintext.suffix(12).dropFirst(3).prefix(6)) == [1, 5, 0, 0, 0, 3])
    }

    // MARK: Malformed answers

    @Test func anAnswerWithoutAStatus() async throws {
        let (_, provider) = try await meet(.malformedAnswer(.noStatus))
        try #require(await provider.wait { $0.contains { if case .streamClosed(1, _) = $0 { true } else { false } } })
        #expect(provider.responses.count == 1)
        #expect(onStream(provider).first?.type == WireFrame.headers)
    }

    @Test(arguments: ["099", "999", "2xx", "1000", "-1", ""])
    func anAnswerWithAnOddStatus(_ status: String) async throws {
        let (rehearsal, provider) = try await meet(.malformedAnswer(.status(status)))
        try #require(await provider.waitForFrames { $0.contains { $0.stream == 3 && $0.type == WireFrame.headers } })
        #expect(rehearsal.apns.ledger.snapshot.accepted == 2)
        let block = try #require(onStream(provider).first?.payload)
        #expect(status.isEmpty || !block.isEmpty)
    }

    @Test(arguments: [Malformation.upperCaseName, .contentLength])
    func anAnswerThatBreaksHTTP(_ malformation: Malformation) async throws {
        let (_, provider) = try await meet(.malformedAnswer(malformation))
        try #require(await provider.wait { $0.contains { if case .streamClosed(1, _) = $0 { true } else { false } } })
        #expect(provider.responses.count == 1)
    }

    @Test func anAnswerWhoseBodyIsNoJSON() async throws {
        let (_, provider) = try await meet(.refuse(.badTopic), [.malformedAnswer(.body("<html>"))])
        try #require(await provider.waitForResponses(2))
        #expect(provider.responses.last?.status == 400)
        #expect(provider.responses.last?.body == Array("<html>".utf8))
    }

    @Test func anAnswerThatCannotBeDecoded() async throws {
        let (_, provider) = try await meet(.malformedAnswer(.headerBlock))
        try #require(await provider.wait { $0.contains { if case .broken = $0 { true } else { false } } })
        #expect(onStream(provider).map(\.payload) == [[0xFF, 0x80, 0x80, 0x01]])
    }

    @Test func anAnswerWhoseDataComeFirst() async throws {
        let (_, provider) = try await meet(.malformedAnswer(.dataBeforeHeaders))
        try #require(await provider.waitForFrames { $0.contains { $0.stream == 3 && $0.type == WireFrame.data } })
        #expect(onStream(provider).first?.type == WireFrame.data)
    }

    // MARK: Too much

    @Test(arguments: [20_000, 200_000])
    func anAnswerWithTooManyHeaders(_ bytes: Int) async throws {
        let (_, provider) = try await meet(.oversizedHeaders(bytes: bytes))
        try #require(await provider.waitForFrames { $0.contains { $0.stream == 3 && $0.endsHeaders } })
        let frames = onStream(provider)
        #expect(frames.first?.type == WireFrame.headers)
        #expect(frames.dropFirst().prefix { !$0.endsHeaders }.allSatisfy { $0.type == WireFrame.continuation })
        #expect(frames.map(\.payload.count).reduce(0, +) > bytes / 2)
    }

    @Test func anAnswerWithTooLongABody() async throws {
        let (_, provider) = try await meet(.refuse(.badTopic), [.oversizedBody(bytes: 40_000)])
        try #require(
            await provider.waitForFrames {
                $0.filter { $0.stream == 3 && $0.type == WireFrame.data }.map(\.payload.count).reduce(0, +) == 40_000
            })
    }

    // MARK: After the answer, beside the answer

    @Test(arguments: [LateFrame.answer, .data, .windowUpdate, .reset(code: 2)])
    func somethingComesOnAStreamThatIsOver(_ late: LateFrame) async throws {
        let (_, provider) = try await meet(.afterAnswer(late))
        let type =
            switch late {
            case .answer: WireFrame.headers
            case .data: WireFrame.data
            case .windowUpdate: WireFrame.windowUpdate
            case .reset: WireFrame.resetStream
            }
        try #require(await provider.waitForFrames { $0.filter { $0.stream == 3 }.count >= 2 })
        let frames = onStream(provider)
        #expect(frames.count == 2)
        #expect(frames.first?.type == WireFrame.headers && frames.first?.endsStream == true)
        #expect(frames.last?.type == type)
    }

    @Test func aPushIsPromisedThatNobodyWants() async throws {
        let (_, provider) = try await meet(.pushPromise)
        try #require(await provider.waitForFrames { $0.contains { $0.type == WireFrame.pushPromise } })
        let promise = try #require(onStream(provider).first)
        #expect(promise.type == WireFrame.pushPromise)
        #expect(Array(promise.payload.prefix(4)) == [0, 0, 0, 2])
    }

    // MARK: Connections

    @Test func pingsAreIgnoredAndPushesAnswered() async throws {
        let (rehearsal, provider) = try await meet(.ignorePings)
        provider.ping(99)
        provider.push(rehearsal.headers())
        #expect(await provider.waitForResponses(3))
        #expect(!provider.sightings.contains { if case .pong = $0 { true } else { false } })
        let other = try await rehearsal.provider()
        other.ping(1)
        #expect(await other.wait { $0.contains { if case .pong(1) = $0 { true } else { false } } })
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func nothingIsReadAnyMore(_ stage: Rehearsal.Stage) async throws {
        let (rehearsal, provider) = try await meet(.stopReading, stage: stage) {
            $0.settings.connectionWindow = 64 << 20
        }
        try #require(await provider.waitForResponses(2))
        // More than kernels hold, so that the provider's side gets stuck.
        provider.push(rehearsal.headers(), body: 60_000, count: 400)
        try #require(await provider.waitUntilStuck())
        #expect(rehearsal.apns.ledger.snapshot.pushes == 2)
        let other = try await rehearsal.provider()
        other.push(rehearsal.headers())
        #expect(await other.waitForResponses(1))
        await rehearsal.apns.cutConnections()
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 })
        #expect(await provider.waitUntilClosed())
        #expect(rehearsal.apns.ledger.snapshot.pushes == 3)
    }

    @Test(arguments: BrokenFrame.allCases)
    func aFrameBreaksHTTP2(_ frame: BrokenFrame) async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.connected, .brokenFrame(frame)))
        let provider = try await rehearsal.provider()
        try #require(await provider.wait { $0.contains { if case .broken = $0 { true } else { false } } })
        #expect(Self.contains(provider.plaintext, frame.bytes))
        #expect(rehearsal.apns.faults.firings.map(\.push) == [nil])
        #expect(rehearsal.apns.ledger.snapshot.faults == 1)
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        (0...max(0, bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }

    @Test(arguments: Flood.Kind.allCases)
    func framesComeInFloods(_ kind: Flood.Kind) async throws {
        let (_, provider) = try await meet(.flood(Flood(kind, count: 500)))
        let type: UInt8 =
            switch kind {
            case .ping: 6
            case .settings: 4
            case .windowUpdate: WireFrame.windowUpdate
            case .unknown: 0xFA
            case .priority: 2
            case .informational: WireFrame.headers
            case .emptyData: WireFrame.data
            case .continuation: WireFrame.continuation
            }
        #expect(await provider.waitForFrames { $0.filter { $0.type == type }.count >= 500 })
    }

    @Test func aTimeBringsItsFault() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        rehearsal.apns.faults.add(FaultRule(.at(.seconds(30)), .goAway(GoAway(reason: "Shutdown"))))
        let provider = try await rehearsal.provider()
        #expect(await provider.waitForFrames { !$0.isEmpty })
        let due = time.now.advanced(by: .seconds(30))
        #expect(await time.waitUntilArmed(by: due) == due)
        time.advance(by: .seconds(30))
        #expect(await provider.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(rehearsal.apns.faults.firings.map(\.time) == [.seconds(30)])
        #expect(rehearsal.apns.faults.count(named: "none") == 0)
    }

    @Test func aRuleThatIsAddedLaterArmsConnectionsThatAreOpen() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        let provider = try await rehearsal.provider()
        #expect(await provider.waitForFrames { !$0.isEmpty })
        let id = rehearsal.apns.faults.add(FaultRule(.at(.seconds(3)), .cut(.reset)))
        let due = time.now.advanced(by: .seconds(3))
        #expect(await time.waitUntilArmed(by: due) == due)
        time.advance(by: .seconds(3))
        #expect(await provider.waitUntilClosed())
        #expect(rehearsal.apns.faults.count(of: id) == 1)
    }
}
