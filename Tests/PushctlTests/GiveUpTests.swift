import SupervisedPush
import TestSupport
import Testing

@testable import pushctl

/// A command of one request gives up at the first failure that lasts.
@Suite(.timeLimit(.minutes(5))) struct GiveUpTests {
    private let stage: HandWrittenStage
    private let giveUp: GiveUp

    init() throws {
        stage = try HandWrittenStage { _ in { _, _ in } }
        giveUp = GiveUp(stage.runtime)
    }

    @Test func aFailureBeforeTheCommandHasItsConnectionLetsItConnect() async throws {
        giveUp()
        let connection = try stage.connect()
        giveUp.connected()
        await #expect(throws: NotUpError.self) { try await connection.waitUntilUp() }
    }

    @Test func aLaterFailureEndsTheRuntimeAtOnce() async throws {
        let connection = try stage.connect()
        giveUp.connected()
        giveUp()
        await #expect(throws: NotUpError.self) { try await connection.waitUntilUp() }
    }

    @Test func withoutAFailureNothingEnds() async throws {
        try stage.connect()
        giveUp.connected()
        #expect(stage.runtime.names == ["orders"])
    }
}
