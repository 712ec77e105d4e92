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

/// The HTTP/2 stream of one attempt of a push. It is unique across reconnects and across processes.
public struct PushStreamID: Sendable, Hashable, CustomStringConvertible {
    /// The connection's process.
    public let process: ProcessID
    /// Which of the process's links: 1, 2, 3, without gaps.
    public let generation: Int
    /// The stream's number on that link, odd (RFC 9113, section 5.1.1).
    public let stream: Int32

    /// Creates an id, for tests.
    public init(process: ProcessID, generation: Int, stream: Int32) {
        self.process = process
        self.generation = generation
        self.stream = stream
    }

    /// For example `<7>/2/1001`: process, generation, stream.
    public var description: String { "\(process)/\(generation)/\(stream)" }
}
