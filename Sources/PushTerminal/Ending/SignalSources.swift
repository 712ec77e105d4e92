import Dispatch
import Glibc
import PushLocking

/// Calls for signals, in place of what the system does with them.
///
/// It watches until it is released; then the signals have their default effect again.
package final class SignalSources: @unchecked Sendable {
    // Sendable: Dispatch sources may be used from any thread and the lists never change.

    private let numbers: [Int32]
    private let sources: [any DispatchSourceSignal]
    private static let kept = Locked<[SignalSources]>([])

    /// - Parameters:
    ///   - queue: Where the calls are made.
    ///   - receive: Called for each signal with its number.
    package init(_ numbers: [Int32], on queue: DispatchQueue, _ receive: @escaping @Sendable (Int32) -> Void) {
        self.numbers = numbers
        sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { receive(number) }
            return source
        }
        // Noted first, because the default action would end the program. On Linux, Dispatch then installs its own
        // handler on a thread of its own, so this waits until it is installed.
        for number in numbers {
            _ = EarlySignals.take(number)
            Self.setAction(of: number, to: EarlySignals.note)
        }
        let registered = DispatchGroup()
        for source in sources {
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
        }
        _ = registered.wait(timeout: .now() + .seconds(1))
        for number in numbers where EarlySignals.take(number) { queue.async { receive(number) } }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in numbers { Self.setAction(of: number, to: SIG_DFL) }
    }

    /// Watches until the program ends.
    package func keep() { Self.kept.withLock { $0.append(self) } }

    package static func ignore(_ number: Int32) { setAction(of: number, to: SIG_IGN) }

    /// Whether the program was started with the signal ignored.
    package static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        let handler = action.__sigaction_handler.sa_handler
        // Handlers can't be compared; the one that ignores is a number.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func setAction(of number: Int32, to action: (@convention(c) (Int32) -> Void)?) {
        _ = signal(number, action)
    }
}
