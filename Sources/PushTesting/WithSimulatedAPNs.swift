import ProcessRuntime
import PushSimulator
import SupervisedPush

/// Runs a test against a simulated APNs, with a runtime that reaches it, and ends both afterwards.
///
/// ```swift
/// @Test func theGateIsAnnounced() async throws {
///     try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
///         _ = try await runtime.push(name: "orders", .alert(title: "Flight A998", body: "Boarding"), to: .simulated())
///         #expect(apple.pushes.first?.alertTitle == "Flight A998")
///     }
/// }
/// ```
/// Everything is real but the network and Apple: TLS, HTTP/2, provider tokens, retries. A test takes some milliseconds, needs no port and
/// no file, and shares nothing with others but keys and certificates, which are made once for the whole program. Tests may run in parallel.
///
/// Within `body` helpers find both as ``PushSimulator/SimulatedAPNs/current`` and ``SupervisedPush/PushRuntime/current``.
///
/// Both sides end when `body` returns or throws, and what is in flight or waits then is lost. Do not keep them.
///
/// - Parameters:
///   - names: Connections to make before `body` is called, each with ``PushSimulator/SimulatedAPNs/connectionConfig``. They dial by
///     themselves, and pushes may be called at once. Without a name, connect in `body`, or give that configuration to what is tested.
///   - network: Memory by default.
///   - time: The system's clocks by default. With ``SimulatedTime/manual`` an outage and its pauses take no time.
///   - timeLimit: How long `body` may take, in real time, also under a manual clock. 60 s by default; nil for no limit. Then the task
///     is cancelled, and stays so. If `body` does not end within 5 s after that, the runtime and the simulator end, and standard error
///     says what the error would. Nothing can end a `body` that goes on even then.
///   - configuration: The runtime's own settings. By default it logs nothing; `PushRuntime.Configuration()` logs as in production.
///   - configure: Changes the simulator's settings before it starts: its topics, devices, script, or what its ledger keeps.
///   - isolation: The actor that `body` runs on; the caller's by default.
///   - body: The test, with the simulator and the runtime.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; ``TimeLimitExceeded`` if it took too long, which says for each connection what waits, and under a manual
///   clock which timers are armed; `SimulatorError` or `ConnectError` where simulator or connections could not be made.
public func withSimulatedAPNs<Result>(
    connecting names: String...,
    over network: SimulatedNetwork = .memory,
    time: SimulatedTime = .system,
    timeLimit: Duration? = .seconds(60),
    runtime configuration: PushRuntime.Configuration = PushRuntime.Configuration(logger: nil),
    configure: (inout SimulatedAPNs.Configuration) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ apple: SimulatedAPNs, _ runtime: PushRuntime) async throws -> Result
) async throws -> Result {
    let stage = try SimulatedStage(over: network, time: time, runtime: configuration, configure: configure)
    return try await stage.perform(connecting: names, within: timeLimit, isolation: isolation, body)
}

/// What a simulator and the runtime of a test talk over.
public enum SimulatedNetwork: Sendable, Hashable {
    /// The memory of this process: no socket, no port, no name to resolve. Only this runtime reaches the simulator.
    case memory
    /// Sockets on 127.0.0.1, with ports that are free: other runtimes and other programs reach the simulator, too.
    case loopback
}

/// The clocks that a simulator and the runtime of a test go by.
public struct SimulatedTime: Sendable {
    /// Nil for the system's clocks.
    let manual: ManualTime?

    /// The system's clocks. A lost link is dialled again after most of a second, as in production.
    public static let system = SimulatedTime(manual: nil)

    /// A clock that stands still, at the current date.
    public static var manual: SimulatedTime {
        manual(ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds))
    }

    /// A clock that the test moves, with `ManualTime.advance(by:)`: timeouts, late answers, latencies and the age of provider tokens come
    /// when the test says so.
    ///
    /// One thing passes by itself. When a connection pauses before it dials again, the clock waits until the simulator serves new
    /// connections, then it jumps to the end of the pause. So an outage takes as long as the test lets it, and no pause costs time.
    ///
    /// - Parameter time: The clock. Its wall clock stands at 2026-01-01 unless it was made with another time; the simulator's 410s say that
    ///   time.
    public static func manual(_ time: ManualTime) -> SimulatedTime { SimulatedTime(manual: time) }
}
