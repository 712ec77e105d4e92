import PushTesting
import Testing

/// Gives each test a simulated APNs of its own, and a runtime that reaches it.
///
/// ```swift
/// @Test(.simulatedAPNs(connecting: "orders")) func theGateIsAnnounced() async throws {
///     try await PushRuntime.current.push(name: "orders", .alert(title: "Gate", body: "B12"), to: .simulated())
///     #expect(try SimulatedAPNs.current.pushes.first?.alertBody == "B12")
/// }
/// ```
/// As a trait of a suite it holds for each of its tests. Each case of a test with arguments has its own, too.
public struct SimulatedAPNsTrait: TestTrait, SuiteTrait, TestScoping {
    let run: @Sendable (_ test: @Sendable () async throws -> Void) async throws -> Void

    /// It holds for every test of a suite.
    public var isRecursive: Bool { true }

    /// Runs a test, or one case of it, with a simulator and a runtime.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await run(function)
    }
}

extension Trait where Self == SimulatedAPNsTrait {
    /// A simulator and a runtime without connections, over memory and by the system's clocks.
    public static var simulatedAPNs: Self { simulatedAPNs() }

    /// A simulator and a runtime, as `withSimulatedAPNs` makes them.
    ///
    /// - Parameters:
    ///   - names: Connections to make before the test begins, each with `SimulatedAPNs.connectionConfig`.
    ///   - network: Memory by default.
    ///   - time: The system's clocks by default. Evaluated for each test, so each has a clock of its own with `.manual`;
    ///     `ManualTime.current` is that clock.
    ///   - timeLimit: How long the test may take, in real time. 60 s by default; nil for no limit.
    ///   - runtime: The runtime's own settings. By default it logs nothing.
    ///   - configure: Changes the simulator's settings before it starts.
    public static func simulatedAPNs(
        connecting names: String..., over network: SimulatedNetwork = .memory,
        time: @autoclosure @escaping @Sendable () -> SimulatedTime = .system, timeLimit: Duration? = .seconds(60),
        runtime: PushRuntime.Configuration = PushRuntime.Configuration(logger: nil),
        configure: @escaping @Sendable (inout SimulatedAPNs.Configuration) throws -> Void = { _ in }
    ) -> Self {
        SimulatedAPNsTrait { test in
            let stage = try SimulatedStage(over: network, time: time(), runtime: runtime, configure: configure)
            try await stage.perform(connecting: names, within: timeLimit) { _, _ in try await test() }
        }
    }
}
