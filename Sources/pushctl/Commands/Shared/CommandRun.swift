import PushTerminal
import SupervisedPush

/// A command that pushes over a runtime of its own: what signals ask of it, what it says of its links, and its end.
///
/// `bulk`, `queue put` and `worker` end in stages of their own, `simulate` and `top` have no runtime, and `doctor` has one
/// for each step; what they share with these is in ``PushTerminal/SignalWatcher``.
struct CommandRun: Sendable {
    let runtime: PushRuntime
    let watch: LinkWatch
    /// How long pushes under way may take after the first signal.
    let drain: Duration
    let say: @Sendable (LogLine) -> Void

    /// Does the command's work, then ends the runtime. The first signal closes the runtime, a second one at once.
    ///
    /// - Parameters:
    ///   - count: How many pushes or requests are under way.
    ///   - what: The name of one.
    ///   - onSignal: What stops with the first signal, before the runtime does.
    /// - Returns: What the work returned, and the first signal.
    func callAsFunction<Result>(
        underWay count: @escaping @Sendable () -> Int = { 1 }, what: String = "push",
        onSignal: @escaping @Sendable () -> Void = {}, _ work: () async -> Result
    ) async -> (Result, StopSignal?) {
        let signals = SignalWatcher.forCommand(
            onFirst: { signal in
                onSignal()
                Task { await runtime.shutdown(within: drain) }
                if let line = StopNotice.line(signal, underWay: count(), what: what, drain: drain) {
                    say(LogLine(line))
                }
            },
            onInsisting: { Task { await runtime.shutdown(within: .zero) } })
        let watching = Task { await watch.run() }
        let result = await work()
        await runtime.shutdown(within: .zero)
        watch.mailbox.close()
        await watching.value
        return (result, signals.first)
    }
}

extension SignalWatcher {
    /// The exit status of a command that ended with an error before it began its work: a signal ends the input early, which
    /// may look like an error, and the signal came first.
    ///
    /// - Parameter what: What had not happened yet, such as `anything was pushed`.
    /// - Throws: The error, if there was no signal.
    func status<Failure: Error>(
        insteadOf error: Failure, before what: String, say: (String) -> Void
    ) throws(Failure) -> ExitStatus {
        guard let first else { throw error }
        say("pushctl: stopped by \(first.name) before \(what)")
        return first.status
    }
}
