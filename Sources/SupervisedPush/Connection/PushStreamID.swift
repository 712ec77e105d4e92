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
