import ProcessRuntime
import PushHTTP2
import Testing

@testable import PushSimulator

/// Windows of a simulator: what it gives at the start, gives back, and keeps.
@Suite("parity: F8 – flow control", .timeLimit(.minutes(5))) struct WindowFaultTests {
    private struct Update: Equatable {
        let stream: Int32
        let bytes: Int
    }

    private static func updates(_ frames: [WireFrame]) -> [Update] {
        frames.filter { $0.type == WireFrame.windowUpdate }.map { frame in
            Update(stream: frame.stream, bytes: frame.payload.reduce(0) { $0 << 8 | Int($1) })
        }
    }

    private func meet(
        _ configure: (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    ) async throws -> (Rehearsal, TestProvider) {
        let rehearsal = try Rehearsal(.memory, configure)
        let provider = try await rehearsal.provider(certificate: true)
        // Before SETTINGS a provider assumes 65,535 bytes for each stream.
        try #require(await provider.wait { $0.contains { if case .settings = $0 { true } else { false } } })
        return (rehearsal, provider)
    }

    private func push(_ rehearsal: Rehearsal, _ provider: TestProvider, body: Int, count: Int = 1) {
        provider.push(rehearsal.headers(authorization: false), body: body, count: count)
    }

    /// Returns when the simulator has acted on what was asked before.
    private func sync(_ provider: TestProvider, _ number: UInt64) async throws {
        provider.ping(number)
        try #require(
            await provider.wait { $0.contains { if case .pong(number) = $0 { true } else { false } } })
    }

    @Test func aConnectionHas65535BytesWhichAreGivenBackAsTheyAreRead() async throws {
        let (rehearsal, provider) = try await meet()
        push(rehearsal, provider, body: 4_096, count: 40)
        try #require(await provider.waitForResponses(40))
        // Given back by half windows: nothing at the start.
        let updates = Self.updates(provider.frames)
        #expect(!updates.isEmpty && updates.allSatisfy { $0.stream == 0 && (32_767..<65_535).contains($0.bytes) })
    }

    @Test func aLargerWindowIsAnnouncedAtTheStart() async throws {
        let (_, provider) = try await meet { $0.settings.connectionWindow = 1 << 20 }
        try #require(await provider.waitForFrames { !Self.updates($0).isEmpty })
        #expect(Self.updates(provider.frames) == [Update(stream: 0, bytes: 1 << 20 - 65_535)])
    }

    @Test func aWindowIsWithheldFromAMomentOnAndReleased() async throws {
        let (rehearsal, provider) = try await meet()
        push(rehearsal, provider, body: 4_096)
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.changeWindow(.withhold)
        try await sync(provider, 1)
        push(rehearsal, provider, body: 4_096, count: 20)
        // 16 bodies have 65,536 bytes.
        try #require(await provider.waitForResponses(15))
        try await sync(provider, 2)
        #expect(rehearsal.apns.ledger.snapshot.pushes == 15)
        #expect(Self.updates(provider.frames).isEmpty)
        rehearsal.apns.changeWindow(.prompt)
        #expect(await provider.waitForResponses(21))
        let first = try #require(Self.updates(provider.frames).first)
        #expect(first.stream == 0 && (15 * 4_096...65_535).contains(first.bytes))
    }

    @Test func aWindowIsWithheldOnOneConnectionOnly() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.connected, .window(.withhold), on: .nth(1)))
        let held = try await rehearsal.provider(certificate: true)
        let free = try await rehearsal.provider(certificate: true)
        push(rehearsal, held, body: 4_096, count: 20)
        push(rehearsal, free, body: 4_096, count: 20)
        #expect(await free.waitForResponses(20))
        try #require(await held.waitForResponses(15))
        try await sync(held, 1)
        #expect(rehearsal.apns.ledger.snapshot.pushes == 35)
        rehearsal.apns.changeWindow(.prompt, on: .only(try #require(rehearsal.apns.connections.first)))
        #expect(await held.waitForResponses(20))
    }

    @Test func aTrickleGoesByTheClock() async throws {
        let time = ManualTime()
        let (rehearsal, provider) = try await meet {
            $0.time = time
            $0.settings.connectionWindowPace = .trickle(Dribble(bytes: 1_000, every: .milliseconds(100)))
        }
        push(rehearsal, provider, body: 4_096, count: 16)
        try #require(await provider.waitForResponses(15))
        try await sync(provider, 1)
        #expect(Self.updates(provider.frames).isEmpty)
        // 65,536 bytes are needed for the 16th, 69,632 for the 17th.
        time.advance(by: .milliseconds(100))
        #expect(await provider.waitForResponses(16))
        push(rehearsal, provider, body: 4_096)
        try await sync(provider, 2)
        for number in 3..<7 {
            time.advance(by: .milliseconds(100))
            try await sync(provider, UInt64(number))
        }
        #expect(await provider.waitForResponses(17))
        #expect(Self.updates(provider.frames).prefix(5).allSatisfy { $0 == Update(stream: 0, bytes: 1_000) })
    }

    @Test func bytesAreGivenBackAfterATime() async throws {
        let time = ManualTime()
        let (rehearsal, provider) = try await meet { $0.time = time }
        rehearsal.apns.changeWindow(.delay(.seconds(3)), of: .all)
        try await sync(provider, 1)
        push(rehearsal, provider, body: 4_096, count: 20)
        try #require(await provider.waitForResponses(15))
        try await sync(provider, 2)
        time.advance(by: .milliseconds(2_999))
        try await sync(provider, 3)
        #expect(Self.updates(provider.frames).isEmpty)
        #expect(rehearsal.apns.ledger.snapshot.pushes == 15)
        time.advance(by: .milliseconds(1))
        #expect(await provider.waitForResponses(20))
    }

    @Test(arguments: [0, 1, 100])
    func aStreamsWindowIsOpenedByHand(size: Int) async throws {
        let (rehearsal, provider) = try await meet {
            $0.settings.initialWindowSize = size
            $0.settings.streamWindowPace = .withhold
        }
        push(rehearsal, provider, body: 300)
        try await sync(provider, 1)
        rehearsal.apns.updateWindow(by: 299 - size, of: .streams)
        try await sync(provider, 2)
        #expect(rehearsal.apns.ledger.snapshot.pushes == 0)
        rehearsal.apns.updateWindow(by: 1, of: .streams)
        #expect(await provider.waitForResponses(1))
    }

    @Test func aSmallWindowIsGivenBackAsItIsRead() async throws {
        let (rehearsal, provider) = try await meet { $0.settings.initialWindowSize = 100 }
        push(rehearsal, provider, body: 4_096, count: 3)
        #expect(await provider.waitForResponses(3))
    }

    @Test(arguments: [false, true])
    func settingsMakeAWindowNegative(isWithheld: Bool) async throws {
        let (rehearsal, provider) = try await meet {
            $0.settings.initialWindowSize = 1_000
            $0.settings.streamWindowPace = .withhold
        }
        push(rehearsal, provider, body: 4_096)
        try await sync(provider, 1)
        rehearsal.apns.changeSettings(SettingsChange(initialWindowSize: 400))
        try await sync(provider, 2)
        guard isWithheld else {
            rehearsal.apns.changeWindow(.prompt, of: .streams)
            return #expect(await provider.waitForResponses(1))
        }
        // 1,000 of 400 bytes are used. The rest of the body needs 600 + 3,096.
        rehearsal.apns.updateWindow(by: 3_695, of: .streams)
        try await sync(provider, 3)
        #expect(rehearsal.apns.ledger.snapshot.pushes == 0)
        rehearsal.apns.updateWindow(by: 1, of: .streams)
        #expect(await provider.waitForResponses(1))
    }
}
