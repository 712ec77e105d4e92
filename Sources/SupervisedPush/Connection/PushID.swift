/// The number of a push, unique within the program. It is assigned at the call.
///
/// It is not the stream's number: a push that is resent keeps its `PushID` and gets a new ``PushStreamID``.
public struct PushID: Sendable, Hashable, Comparable, CustomStringConvertible {
    let number: UInt64

    /// Creates an id, for tests.
    public init(_ number: UInt64) { self.number = number }

    init(number: UInt64) { self.number = number }

    /// Orders by the time of the call within one connection.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// For example `push 42`.
    public var description: String { "push \(number)" }
}
