import Dispatch
import ProcessRuntime
import PushLocking
import PushSimulator
import PushTesting
import PushTransport
import SupervisedPush

/// A runtime and a simulator for one test: over memory with a manual clock, or over loopback sockets with the real one.
package final class Rehearsal: Sendable {
    package let apple: SimulatedAPNs
    package let runtime: PushRuntime
    /// The clock of both sides, if it is a manual one.
    package let time: ManualTime?
    /// The network, if it is one in memory.
    package let network: TappedNetwork?
    /// The client's own clock, if its wall clock is to go wrong.
    package let clientTime: SkewedTime?

    private init(
        _ apple: SimulatedAPNs, _ runtime: PushRuntime, time: ManualTime?, network: TappedNetwork?,
        clientTime: SkewedTime? = nil
    ) {
        self.clientTime = clientTime
        self.apple = apple
        self.runtime = runtime
        self.time = time
        self.network = network
    }

    /// No socket, no real time: the story moves when the test says so.
    ///
    /// - Parameters:
    ///   - lastStream: the last stream number that the client's links use, if not the last there is.
    ///   - skewed: whether the client's wall clock is to go wrong, and the simulator's not.
    package static func inMemory(
        capacity: Int = 64 << 10, runtime: PushRuntime.Configuration = .init(logger: nil),
        faults: ProcessFaults = ProcessFaults(), lastStream: Int32? = nil, skewed: Bool = false,
        _ change: (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    ) throws -> Rehearsal {
        let time = ManualTime()
        let network = TappedNetwork(MemoryNetwork(capacity: capacity))
        let apple = try SimulatedAPNs.started(in: network.network, time: time, change)
        let clientTime = skewed ? SkewedTime(time) : nil
        let runtime = PushRuntime(
            runtime, time: clientTime ?? time, connector: network, seed: { _ in 1 }, makeSession: faults.makeSession,
            lastStream: lastStream)
        return Rehearsal(apple, runtime, time: time, network: network, clientTime: clientTime)
    }

    /// Real sockets on loopback, real time.
    package static func overLoopback(
        _ change: (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    ) throws -> Rehearsal {
        Rehearsal(
            try SimulatedAPNs.started(in: nil, time: SystemTime(), change), PushRuntime(.init(logger: nil)), time: nil,
            network: nil)
    }

    /// A configuration for the simulator, in token mode. A link takes all pushes at once, also while answers are held. Under the manual clock no link is asked whether it lives; a story about
    /// that sets `liveness` itself, and jumps no further than to the next question.
    package var config: PushConnection.Configuration { apple.connectionConfig.with { $0.limits.firstFlight = .max } }

    /// As `config`, with times for machines that do much else at the same time.
    package var patientConfig: PushConnection.Configuration {
        config.with {
            $0.timeout = .seconds(60)
            $0.liveness =
                time == nil
                ? PushConnection.Configuration.Liveness(pingTimeout: .seconds(60), stall: .seconds(60)) : .never
        }
    }

    /// As `patientConfig`, for the management of channels.
    package var managementConfig: PushConnection.Configuration {
        let port = apple.managementConfig.port
        return patientConfig.with { $0.port = port }
    }

    /// A configuration for the simulator, in certificate mode.
    package var certificateConfig: PushConnection.Configuration {
        apple.certificateConfig.with { $0.limits.firstFlight = .max }
    }

    /// A second runtime on the same clock and network. Only for rehearsals in memory.
    package func anotherRuntime() -> PushRuntime {
        guard let time, let network else { return PushRuntime(.init(logger: nil)) }
        return PushRuntime(time: time, connector: network, seed: { _ in 2 })
    }

    /// Ends both sides.
    package func end() async {
        await runtime.shutdown(within: .zero)
        apple.stop()
    }
}
