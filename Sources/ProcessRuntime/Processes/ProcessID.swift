import PushLocking

/// The identity of a process: small, comparable, and not a reference to it.
///
/// Unique in the program, across all ``ProcessSystem``s, and never reused.
public struct ProcessID: Hashable, Sendable, CustomStringConvertible {
    private let number: UInt64

    /// For tests of machines without processes. Processes use ``makeUnique()``.
    package init(_ number: UInt64) {
        self.number = number
    }

    /// Creates a pid that no process has, for tests that need one, such as those of code that handles messages.
    public init() { self = .makeUnique() }

    /// Returns a pid that was never used before.
    package static func makeUnique() -> ProcessID {
        lastNumber.withLock { last in
            last += 1
            return ProcessID(last)
        }
    }

    private static let lastNumber = Locked<UInt64>(0)

    /// Reads a pid as `description` shows it; nil for anything else.
    package init?(description: String) {
        guard description.first == "<", description.last == ">",
            let number = UInt64(description.dropFirst().dropLast())
        else { return nil }
        self.number = number
    }

    /// The pid in readable form, for example `<17>`.
    public var description: String { "<\(number)>" }
}
