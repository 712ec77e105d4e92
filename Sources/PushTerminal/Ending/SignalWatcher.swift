import Dispatch
import Glibc
import ProcessRuntime
import PushLocking

/// Turns the signals that ask the program to end into calls, as ``StopSignals`` decides.
///
/// It watches until it is released; then the signals have their default effect again.
package final class SignalWatcher: Sendable {
    /// How long the program may take to end after an insisting signal.
    package static let leavingTime = Duration.seconds(3)

    /// The watchers of commands, which stay: a signal while the program ends must not end it in another way.
    private static let kept = Locked<[SignalWatcher]>([])

    private let state = Locked(StopSignals())
    private let sources: SignalSources

    /// - Parameters:
    ///   - taken: The signals that ask for the end.
    ///   - now: The present time.
    ///   - onFirst: Called once, on a queue of its own.
    ///   - onInsisting: Called once, on the same queue: the program must end without waiting.
    ///   - onOverdue: Called if the program has not ended 3 s later, for example because its output is not read.
    package init(
        taken: [StopSignal] = StopSignal.takenHere(),
        now: @escaping @Sendable () -> MonotonicInstant = { SystemTime().now },
        onFirst: @escaping @Sendable (StopSignal) -> Void, onInsisting: @escaping @Sendable () -> Void,
        onOverdue: @escaping @Sendable (StopSignal) -> Void
    ) {
        // A pool of its own on Linux: callers that block the default one must not delay a Ctrl-C. Two queues, so that a
        // call that hangs in a write does not keep signals from being counted.
        let queue = DispatchQueue(label: "pushctl.signals", target: .global(qos: .userInteractive))
        let calls = DispatchQueue(label: "pushctl.stopping", target: .global(qos: .userInteractive))
        let state = state
        let receive: @Sendable (StopSignal) -> Void = { signal in
            let (request, first) = state.withLock { ($0.receive(signal, at: now()), $0.first ?? signal) }
            switch request {
            case .drain(let signal): calls.async { onFirst(signal) }
            case .leave:
                calls.async { onInsisting() }
                queue.asyncAfter(deadline: .now() + Self.leavingTime / .seconds(1)) { onOverdue(first) }
            case nil: break
            }
        }
        sources = SignalSources(taken.map(\.number), on: queue) { number in
            if let signal = taken.first(where: { $0.number == number }) { receive(signal) }
        }
    }

    /// The watcher of a command; it stays until the program ends. By default it ends a program that is overdue.
    package static func forCommand(
        taken: [StopSignal] = StopSignal.takenHere(), onFirst: @escaping @Sendable (StopSignal) -> Void,
        onInsisting: @escaping @Sendable () -> Void,
        onOverdue: @escaping @Sendable (StopSignal) -> Void = leave
    ) -> SignalWatcher {
        let watcher = SignalWatcher(
            taken: taken, onFirst: onFirst, onInsisting: onInsisting, onOverdue: onOverdue)
        kept.withLock { $0.append(watcher) }
        return watcher
    }

    /// The first signal, if any.
    package var first: StopSignal? { state.withLock { $0.first } }

    /// Makes a write to a closed pipe fail with EPIPE instead of ending the program.
    package static func ignoreBrokenPipes() { SignalSources.ignore(SIGPIPE) }

    /// Makes SIGUSR1, which asks for a snapshot, end no command that has none to give.
    package static func ignoreSnapshots() { SignalSources.ignore(SIGUSR1) }

    /// For a first signal before anything began: ends the program if it has not ended in 3 s, for example because it
    /// waits for a silent pipe.
    ///
    /// - Parameters:
    ///   - isHeldUp: Whether it still waits after that time; otherwise it goes on to its own end.
    ///   - cleanUp: Called before the end.
    package static func endSoon(
        _ signal: StopSignal, while isHeldUp: @escaping @Sendable () -> Bool = { true },
        _ cleanUp: @escaping @Sendable () -> Void = {}
    ) {
        DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + leavingTime / .seconds(1)) {
            guard isHeldUp() else { return }
            cleanUp()
            end(signal, saying: "pushctl: stopped by \(signal.name) before anything was begun")
        }
    }

    /// Ends the program with what it has written so far.
    package static let leave: @Sendable (StopSignal) -> Void = {
        end($0, saying: "pushctl: left before everything could be written")
    }

    /// Writing the message may also hang, and is not waited for.
    private static func end(_ signal: StopSignal, saying words: String) {
        DispatchQueue(label: "pushctl.lastWords").async { StandardError.writeLast(words) }
        usleep(100_000)
        _exit(signal.status.rawValue)
    }
}
