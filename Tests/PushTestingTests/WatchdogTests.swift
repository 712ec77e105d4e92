import PushSimulator
import TestSupport
import Testing

@testable import PushTesting
@testable import SupervisedPush

/// A test that does not end by itself.
@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    private let gate = PushNotification.alert(title: "Gate", body: "B12")

    /// In a task of its own, which is cancelled.
    private func failure(_ test: @escaping @Sendable () async throws -> Void) async throws -> String {
        let error = await #expect(throws: TimeLimitExceeded.self) { try await Task { try await test() }.value }
        return try #require(error).description
    }

    @Test("a test that waits for a clock which nobody moves fails and says which timers are armed")
    func aTestUnderAClockThatNobodyMoves() async throws {
        let stage = try SimulatedStage(over: .memory, time: .manual, runtime: .init(logger: nil)) { _ in }
        try stage.runtime.connect(name: "orders", config: stage.apple.connectionConfig)
        stage.apple.holdAnswers()
        let push = Task { [gate] in try await stage.runtime.push(name: "orders", gate, to: .simulated()) }
        // The time limit begins when the push is where the report shall find it.
        try await stage.apple.waitForPushes(1)
        try await until { try stage.runtime.connection(named: "orders").status.inFlight == 1 }
        let text = try await failure {
            try await stage.perform(connecting: [], within: .seconds(1)) { _, _ in
                try await withTaskCancellationHandler {
                    _ = try await push.value
                } onCancel: {
                    push.cancel()
                }
            }
        }
        #expect(push.isCancelled)
        #expect(text.hasPrefix("The test did not end within 1.0 seconds and is cancelled. This is how things stand:\n"))
        #expect(text.contains("up generation 1, 1 in flight, 0 waiting"))
        #expect(text.contains("simulator, 1 connection open, 1 push accepted, 0 refused; it holds answers"))
        #expect(text.contains("only when the test says so: time.advance(by:)"))
        #expect(text.contains("  - connection:orders#1 in 10.0 seconds"))
    }

    @Test func aTestThatIgnoresItsCancellationLosesItsRuntime() async throws {
        let stage = try SimulatedStage(over: .memory, time: .system, runtime: .init(logger: nil)) { _ in }
        let orders = try stage.runtime.connect(name: "orders", config: stage.apple.connectionConfig)
        stage.apple.holdAnswers()
        let (results, ended) = AsyncStream<Result<PushResponse, PushError>>.makeStream()
        _ = orders.push(gate, to: .simulated(), options: PushOptions(timeout: .seconds(3_600))) { ended.yield($0) }
        try await stage.apple.waitForPushes(1)
        await until { orders.status.inFlight == 1 }
        let text = try await failure {
            try await stage.perform(connecting: [], within: .seconds(1), grace: .milliseconds(1)) { _, _ in
                // In a task of its own, which nobody cancels.
                let result = await Task { await results.first { _ in true } }.value
                #expect(throws: PushError.self) { try result?.get() }
            }
        }
        #expect(text.contains("1 in flight"))
        #expect(!text.contains("manual clock"))
    }

    @Test func whatATestThrowsInTimeIsThrown() async throws {
        struct Stop: Error {}
        await #expect(throws: Stop.self) { try await withSimulatedAPNs { _, _ in throw Stop() } }
        #expect(!Task.isCancelled)
    }

    @Test func aTestMayHaveNoLimit() async throws {
        let answer = try await withSimulatedAPNs(connecting: "orders", timeLimit: nil) { _, runtime in
            try await runtime.push(name: "orders", gate, to: .simulated())
        }
        #expect(answer.isAccepted)
    }

    @Test func aTestLogsNothingUnlessItAsks() async throws {
        try await withSimulatedAPNs { _, runtime in #expect(runtime.configuration.logger == nil) }
        try await withSimulatedAPNs(runtime: PushRuntime.Configuration()) { _, runtime in
            #expect(runtime.configuration.logger != nil)
        }
    }

    @Test func helpersFindWhatTheirTestHas() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(time: .manual(time)) { apple, runtime in
            let current = try (SimulatedAPNs.current, ManualTime.current)
            #expect(current.0 === apple)
            #expect(current.1 === time)
            let inATask = try await Task { try PushRuntime.current }.value
            #expect(inATask === runtime)
        }
        #expect(throws: NoSimulatedAPNs.self) { try SimulatedAPNs.current }
        try await withSimulatedAPNs { _, _ in
            let error = #expect(throws: NoSimulatedAPNs.self) { try ManualTime.current }
            #expect(error?.description.contains("time: .manual") == true)
        }
    }
}
