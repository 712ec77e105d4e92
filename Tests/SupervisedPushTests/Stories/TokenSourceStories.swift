import Foundation
import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Provider tokens from a service that keeps the key to itself.
@Suite("parity: E8 – a caller-made token per connection", .timeLimit(.minutes(5)))
struct TokenSourceStories {
    /// Signs with the simulator's key, as a service elsewhere would.
    private final class Signer: Sendable {
        struct Down: Error {}

        private let stage: Rehearsal
        private let time: ManualTime
        private let state = Locked((calls: 0, isDown: false))

        init(_ stage: Rehearsal) throws {
            self.stage = stage
            time = try #require(stage.time)
        }

        var calls: Int { state.withLock { $0.calls } }
        func fail(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

        func token() throws -> BearerToken {
            let isDown = state.withLock { state in
                state.calls += 1
                return state.isDown
            }
            if isDown { throw Down() }
            return try BearerToken(
                stage.apple.credentials.providerToken(issuedAt: Date(unixMilliseconds: time.wallClockMilliseconds)))
        }
    }

    private func config(_ stage: Rehearsal, _ signer: Signer) -> PushConnection.Configuration {
        stage.patientConfig.with { $0.credential = .tokens(from: "signer") { try signer.token() } }
    }

    private func push(_ stage: Rehearsal, _ number: Int) async throws -> PushResponse {
        try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(number))
    }

    @Test func theSourceIsAskedOnceInFiftyMinutesForAllOfAPool() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let signer = try Signer(stage)
        let orders = try stage.runtime.connect(name: "orders", size: 3, config: config(stage, signer))
        for number in 0..<30 { #expect(try await push(stage, number).isAccepted) }
        // Each has shown the token, so that none shows it for the first time an hour later.
        for member in orders.members {
            try await member.waitUntilUp(timeout: .seconds(600))
            #expect(try await member.push(Samples.flight, to: Samples.token(0)).isAccepted)
        }
        #expect(signer.calls == 1)
        time.advance(by: .seconds(50 * 60 + 1))
        // Asked for in the background: pushes go on with the one there is. A link looks for a new one once a second.
        var number = 30
        while stage.apple.ledger.records.last?.providerToken != 2 {
            #expect(try await push(stage, number).isAccepted)
            number += 1
            if signer.calls == 2 { time.advance(by: .milliseconds(10)) }
        }
        time.advance(by: .seconds(10 * 60))
        for late in number..<(number + 30) { #expect(try await push(stage, late).isAccepted) }
        #expect(signer.calls == 2 && stage.apple.ledger.snapshot.refusals.isEmpty)
        #expect(stage.apple.ledger.records.last?.providerToken == 2)
        await stage.end()
    }

    @Test func aTokenThatApnsCallsExpiredIsReplacedBeforeTheCallerHearsOfIt() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let signer = try Signer(stage)
        try stage.runtime.connect(name: "orders", config: config(stage, signer))
        #expect(try await push(stage, 0).isAccepted)
        // To APNs it is two hours old.
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 2 * 3_600_000)
        time.advance(by: .seconds(61))
        let book = OutcomeBook()
        for number in 1...100 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach && signer.calls == 2)
        #expect(stage.apple.ledger.snapshot.connections == 2 && stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test("parity: F12 – a source that nothing is read for is not asked by the watch", arguments: [true, false])
    func watchingHasNoSourceAskedWithoutAChange(trustIsAFile: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let roots = folder.appending(path: "roots.pem")
        let stage = try Rehearsal.inMemory()
        try Data(stage.apple.credentials.authorityPEM.utf8).write(to: roots)
        let time = try #require(stage.time)
        let signer = try Signer(stage)
        let config = config(stage, signer).with {
            $0.credentialReload = .watching(every: .seconds(30))
            if trustIsAFile { $0.trust = .file(roots.path) }
        }
        try stage.runtime.connect(name: "orders", config: config)
        #expect(try await push(stage, 0).isAccepted)
        for number in 1...8 {
            await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
            time.advance(by: .seconds(30))
            #expect(try await push(stage, number).isAccepted)
        }
        #expect(signer.calls == 1 && stage.apple.ledger.snapshot.connections == 1)
        #expect(try stage.runtime.connection(named: "orders").status.generation == 1)
        await stage.end()
    }

    @Test func aSourceThatTookThePlaceOfAFileIsNotAskedByTheWatch() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.p8")
        let stage = try Rehearsal.inMemory()
        let credentials = stage.apple.credentials
        try Data(credentials.signingKeyPEM.utf8).write(to: key)
        let time = try #require(stage.time)
        let signer = try Signer(stage)
        let config = stage.patientConfig.with {
            $0.credential = .token(key: .file(key.path), keyID: credentials.keyID, teamID: credentials.teamID)
            $0.credentialReload = .watching(every: .seconds(30))
        }
        try stage.runtime.connect(name: "orders", config: config)
        #expect(try await push(stage, 0).isAccepted)
        try await stage.runtime.connection(named: "orders").replaceCredential(
            with: .tokens(from: "signer") { try signer.token() })
        for number in 1...8 {
            await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
            time.advance(by: .seconds(30))
            #expect(try await push(stage, number).isAccepted)
        }
        #expect(signer.calls == 1 && stage.apple.ledger.snapshot.connections == 2)
        // The key of the file makes tokens of its own, which would be known here.
        #expect(try stage.runtime.connection(named: "orders").providerToken() == nil)
        await stage.end()
    }

    @Test func aSourceThatIsDownIsAnOutageAndIsAskedAgain() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let signer = try Signer(stage)
        signer.fail(true)
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config(stage, signer), owner: mailbox)
        async let answer = push(stage, 1)
        let cause = try #require(await outage(in: mailbox))
        #expect(cause.layer == .credential && cause.description.contains("signer returned no provider token"))
        signer.fail(false)
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(1)))
        time.advance(by: .seconds(1))
        #expect(try await answer.isAccepted && signer.calls == 2)
        #expect(try stage.runtime.connection(named: "orders").providerToken() == nil)
        await stage.end()
    }

    @Test func aSourceThatIsDownWhenItsTokenExpiresMakesPushesWait() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let signer = try Signer(stage)
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config(stage, signer), owner: mailbox)
        #expect(try await push(stage, 0).isAccepted)
        // To APNs the token is two hours old, and there is no other.
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 2 * 3_600_000)
        time.advance(by: .seconds(61))
        signer.fail(true)
        async let answer = push(stage, 1)
        #expect(await outage(in: mailbox)?.layer == .credential)
        signer.fail(false)
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(1)))
        time.advance(by: .seconds(1))
        #expect(try await answer.isAccepted)
        #expect(try stage.runtime.connection(named: "orders").status.counters.suspensions == 0)
        await stage.end()
    }

    private func outage(in mailbox: Mailbox<LifecycleMessage>) async -> LinkFailure? {
        while let message = await mailbox.receive(timeout: .seconds(600)) {
            if case .reconnecting(_, "orders", _, _, let cause) = message { return cause }
        }
        return nil
    }
}
