import PushLocking

/// The name tag of a process: small, comparable, never the process itself.
///
/// Unique in the program, across all ``ProcessSystem``s, and never used again.
public struct ProcessID: Hashable, Sendable, CustomStringConvertible {
    private let number: UInt64

    /// For machines that are tested without processes; processes use ``makeUnique()``.
    package init(_ number: UInt64) {
        self.number = number
    }

    /// A pid nobody had before.
    package static func makeUnique() -> ProcessID {
        lastNumber.withLock { last in
            last += 1
            return ProcessID(last)
        }
    }

    private static let lastNumber = Locked<UInt64>(0)

    /// The pid as a person reads it, for example `<17>`.
    public var description: String { "<\(number)>" }
}
