import Dispatch
import Locking

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Turns the first SIGINT or SIGTERM into a call, and the second into the end of the program.
///
/// Lives as long as it is held; afterwards the signals have their default effect again.
package final class SignalWatcher: @unchecked Sendable {
    // Sendable, because Dispatch sources may be used from any thread and the list never changes.
    private let state = Locked<StopSignal?>(nil)
    private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - onFirst: called once, on a queue of Dispatch.
    ///   - onSecond: what a second signal does; by default the program ends at once, without flushing anything.
    package init(
        onFirst: @escaping @Sendable (StopSignal) -> Void,
        onSecond: @escaping @Sendable (StopSignal) -> Void = { _exit($0.status.rawValue) }
    ) {
        // A pool of its own on Linux: callers who block the default one must not delay a person's Ctrl-C.
        let queue = DispatchQueue(label: "pushctl.signals", target: .global(qos: .userInteractive))
        let state = state
        sources = StopSignal.allCases.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal.number, queue: queue)
            source.setEventHandler {
                let isFirst = state.withLock { first in
                    defer { first = first ?? signal }
                    return first == nil
                }
                if isFirst { onFirst(signal) } else { onSecond(signal) }
            }
            return source
        }
        // Ignored first: the default action would end the program. On Linux, Dispatch then puts its own handler in
        // place, on a thread of its own, and a signal before that is lost; so this waits until it stands.
        for signal in StopSignal.allCases { Self.setAction(signal.number, SIG_IGN) }
        let registered = DispatchGroup()
        for source in sources {
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
        }
        _ = registered.wait(timeout: .now() + .seconds(1))
    }

    deinit {
        for source in sources { source.cancel() }
        for signal in StopSignal.allCases { Self.setAction(signal.number, SIG_DFL) }
    }

    /// The signal that came first, if any did.
    package var first: StopSignal? { state.withLock { $0 } }

    /// Makes a write to a closed pipe an error (EPIPE) instead of the end of the program.
    package static func ignoreBrokenPipes() { setAction(SIGPIPE, SIG_IGN) }

    private static func setAction(_ number: Int32, _ action: (@convention(c) (Int32) -> Void)?) {
        _ = signal(number, action)
    }
}
