import PushQueue

/// What the queue asks of a Redis client. A program that has a client of its own, such as valkey-swift, can plug it in.
public protocol RedisCommands: Sendable {
    /// Sends commands in this order, in one flush, and returns a reply for each. An error reply of the server is a
    /// reply.
    ///
    /// - Throws: `QueueError` with the code `unreachable` if not all replies came. Each command may have been
    ///   executed.
    func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply]
}

/// One command: its name and arguments, as bytes.
public struct RedisCommand: Sendable, Hashable {
    /// The name and the arguments.
    public var words: [[UInt8]]

    /// Makes a command of texts.
    public init(_ words: String...) { self.words = words.map { Array($0.utf8) } }

    /// Makes a command of bytes.
    public init(words: [[UInt8]]) { self.words = words }
}

/// One reply (RESP2).
public enum RedisReply: Sendable, Hashable {
    /// A short text of the server, such as `OK`.
    case status(String)
    /// The server's error, with its code as the first word.
    case error(String)
    /// A number.
    case integer(Int64)
    /// Bytes.
    case bytes([UInt8])
    /// Nothing there.
    case null
    /// A list.
    case array([RedisReply])
}
