import Synchronization

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
