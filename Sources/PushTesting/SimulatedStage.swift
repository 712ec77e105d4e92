import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush

/// A simulator and a runtime that reaches it.
package final class SimulatedStage: Sendable {
    /// That of the test that runs.
    @TaskLocal static var current: SimulatedStage?

    package let apple: SimulatedAPNs
    package let runtime: PushRuntime
    /// Nil if both go by the system's clocks.
    let time: ManualTime?
    private let pauses: PauseSkipper?

    package init(
        over network: SimulatedNetwork, time: SimulatedTime, runtime configuration: PushRuntime.Configuration,
        configure: (inout SimulatedAPNs.Configuration) throws -> Void
    ) throws {
        let memory = network == .memory ? MemoryNetwork() : nil
        let clock: any TimeSource = time.manual ?? SystemTime()
        let apple = try SimulatedAPNs.started(in: memory, time: clock, configure)
        let connector: any Connector = memory ?? SocketConnector()
        let pauses = time.manual.map { PauseSkipper(apple, time: $0) }
        self.apple = apple
        self.time = time.manual
        self.pauses = pauses
        runtime = PushRuntime(
            configuration, time: clock, connector: connector,
            seed: { _ in .random(in: .min ... .max) }, onPause: { pauses?.pauseBegan(until: $0) })
    }

    /// Runs a test and ends both sides.
    ///
    /// - Parameters:
    ///   - names: The connections to make before.
    ///   - limit: How long the test may take, in real time; nil for as long as it likes.
    ///   - grace: How long it may take to end once it is cancelled, before both sides end without it.
    package func perform<Result>(
        connecting names: [String], within limit: Duration?, grace: Duration = .seconds(5),
        isolation: isolated (any Actor)? = #isolation,
        _ test: (_ apple: SimulatedAPNs, _ runtime: PushRuntime) async throws -> Result
    ) async throws -> Result {
        do {
            for name in names { try runtime.connect(name: name, config: apple.connectionConfig) }
            let result = try await run(within: limit, grace: grace, isolation: isolation) {
                try await test(apple, runtime)
            }
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    /// Ends both sides. A second call does nothing more.
    package func end() async {
        await pauses?.end()
        await runtime.shutdown(within: .zero)
        apple.stop()
    }
}

/// Moves a manual clock over the pauses before a reconnect, once the simulator serves new connections.
final class PauseSkipper: Sendable {
    private let ends: AsyncStream<MonotonicInstant>.Continuation
    private let task: Task<Void, Never>

    init(_ apple: SimulatedAPNs, time: ManualTime) {
        // As many as there are connections that pause: bounded by them.
        let (stream, ends) = AsyncStream<MonotonicInstant>.makeStream()
        self.ends = ends
        task = Task {
            for await end in stream {
                await apple.waitUntilAccepting()
                guard !Task.isCancelled else { return }
                // A connection that arms its timer later than this finds that its instant has come.
                time.advance(by: time.now.duration(to: end))
            }
        }
    }

    /// A connection pauses until then.
    func pauseBegan(until end: MonotonicInstant) { ends.yield(end) }

    func end() async {
        ends.finish()
        task.cancel()
        await task.value
    }
}
