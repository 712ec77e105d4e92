import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite("a runtime for a scope shuts down however the scope is left", .timeLimit(.minutes(5)))
struct ScopedRuntimeStories {
    private struct Stop: Error {}

    @Test func itReturnsWhatTheBodyReturnsAfterTheShutdown() async throws {
        let stage = try Rehearsal.inMemory()
        let answer = try await stage.runtime.shutDown(within: .seconds(5)) { runtime in
            try await runtime.connect(name: "orders", config: stage.config).push(Samples.flight, to: Samples.token())
        }
        #expect(answer.isAccepted && stage.runtime.isShutDown && stage.runtime.names.isEmpty)
        stage.apple.stop()
    }

    @Test func itThrowsWhatTheBodyThrowsAfterTheShutdown() async throws {
        let stage = try Rehearsal.inMemory()
        do throws(Stop) {
            try await stage.runtime.shutDown(within: .seconds(5)) { (runtime) throws(Stop) in
                _ = try? runtime.connect(name: "orders", config: stage.config)
                throw Stop()
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(stage.runtime.isShutDown && stage.runtime.names.isEmpty)
        }
        stage.apple.stop()
    }

    @Test func aCancelledBodyIsFollowedByTheShutdown() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.holdAnswers()
        let scope = Task {
            try await stage.runtime.shutDown(within: .zero) { runtime in
                try await runtime.connect(name: "orders", config: stage.config)
                    .push(Samples.flight, to: Samples.token())
            }
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 1 })
        scope.cancel()
        let error = await #expect(throws: PushError.self) { try await scope.value }
        #expect(error?.code == .cancelled && stage.runtime.isShutDown && stage.runtime.names.isEmpty)
        stage.apple.stop()
    }

    @Test func ownersGetTheirPushesBack() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        let owner = Mailbox<LifecycleMessage>()
        try await stage.runtime.shutDown(within: .zero) { runtime in
            let orders = try runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
            try orders.send(Samples.flight, to: Samples.token())
        }
        let returned = await owner.receive(timeout: .zero) { if case .handedBack = $0 { true } else { false } }
        guard case .handedBack(_, "orders", let pushes)? = returned else { Issue.record("nothing came back"); return }
        #expect(pushes.notSent.count == 1)
        stage.apple.stop()
    }

    @Test func theRuntimeOfTheScopeHasItsConfigurationAndRefusesConnectionsAfterIt() async throws {
        let runtime = await withPushRuntime(.init(maxWaitingBytes: 1 << 20, logger: nil)) { runtime in runtime }
        #expect(runtime.configuration.maxWaitingBytes == 1 << 20)
        let credential = Credential.token(key: .pem(""), teamID: "DEF123GHIJ")
        let error = #expect(throws: ConnectError.self) { try runtime.connect(config: .init(credential: credential)) }
        #expect(error?.code == .shutDown)
    }
}
