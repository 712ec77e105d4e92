import Dispatch
import Glibc
import PushLocking
import Synchronization

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

/// The signals that came while Dispatch was installing its own handler. If they were ignored meanwhile, a command that is
/// asked to end as it starts would run on.
package enum EarlySignals {
    /// A bit for each number. Atomic, because a handler interrupts any thread.
    private static let bits = Atomic<UInt64>(0)

    /// A handler that notes a signal. Call ``take(_:)`` before installing it, which makes the bits.
    package static let note: @convention(c) (Int32) -> Void = { number in
        _ = bits.bitwiseOr(1 << UInt64(number), ordering: .sequentiallyConsistent)
    }

    /// Whether the signal was noted. It is then forgotten.
    package static func take(_ number: Int32) -> Bool {
        let bit = UInt64(1) << UInt64(number)
        return bits.bitwiseAnd(~bit, ordering: .sequentiallyConsistent).oldValue & bit != 0
    }
}
