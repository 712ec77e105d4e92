import Dispatch
import Glibc
import PushLocking
import PushTerminal

/// Tells a service manager how a command stands: that it is ready, alive, reads its settings again, and ends.
final class ServiceManager: Sendable {
    private let socket: NotifySocket
    private let state: Locked<ServiceState>
    private let stopwatch = Stopwatch()

    /// - Parameter variable: The value of a variable of the environment.
    /// - Returns: Nil if no manager asks for news.
    init?(_ variable: (String) -> String? = EnvironmentVariable.value) {
        guard let socket = variable("NOTIFY_SOCKET").flatMap({ NotifySocket($0) }) else { return nil }
        self.socket = socket
        let isForUs = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        let time = variable("WATCHDOG_USEC").flatMap { UInt64($0) }.flatMap { $0 > 0 && isForUs ? $0 : nil }
        state = Locked(ServiceState(watchdog: time.map { Double($0) / 1_000_000 }))
    }

    /// Goes on until its task is cancelled.
    ///
    /// - Parameters:
    ///   - standing: How the command stands.
    ///   - turn: Returns once all that may hang has turned. While it does not, the manager has no sign of life.
    func run(
        _ standing: @Sendable () -> ServiceState.Standing, turn: @Sendable () async -> Void
    ) async {
        while !Task.isCancelled {
            await turn()
            let present = standing()
            tell { $0.turned(present, at: stopwatch.seconds) }
            try? await Task.sleep(for: .seconds(state.withLock { $0.period }))
        }
    }

    func reloading() {
        // On Linux, Dispatch reads CLOCK_MONOTONIC, which the protocol asks for.
        let microseconds = DispatchTime.now().uptimeNanoseconds / 1_000
        tell { $0.reloading(at: microseconds) }
    }

    func reloaded() { tell { $0.reloaded() } }

    func stopping() { tell { $0.stopping() } }

    private func tell(_ change: (inout ServiceState) -> String?) {
        if let text = state.withLock({ change(&$0) }) { socket.send(text) }
    }
}
