/// What the peer's flow control lets a client send now (RFC 9113, section 5.2).
package struct SendWindow: Sendable, Equatable {
    /// How many body bytes the connection takes, less those of the requests that have begun. Negative while a request
    /// that has begun waits for more.
    package var connection: Int
    /// How many body bytes each new stream takes.
    package var stream: Int
    /// A request that has begun waits for bytes of its stream or of the connection.
    package var isBlocked: Bool
    /// No request that has begun has bytes left to be sent.
    package var isClear: Bool
    /// How many bytes the peer has granted for what was to be sent, in total. It only grows.
    package var granted: UInt64

    package init(
        connection: Int = 65_535, stream: Int = 65_535, isBlocked: Bool = false, isClear: Bool = true,
        granted: UInt64 = 0
    ) {
        self.connection = connection
        self.stream = stream
        self.isBlocked = isBlocked
        self.isClear = isClear
        self.granted = granted
    }
}
