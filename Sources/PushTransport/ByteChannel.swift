import Dispatch

/// A connected, non-blocking byte stream: a socket, or its twin in memory.
///
/// Confined to the queue it was activated on: every call after `activate` happens there, and every event arrives there.
/// Nothing here waits, traps on an errno, or calls back from inside a call.
package protocol ByteChannel: AnyObject, Sendable {
    /// Starts the events. Called once.
    func activate(on queue: DispatchQueue, _ onEvent: @escaping @Sendable (ChannelEvent) -> Void)
    /// Takes what has arrived.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult
    /// Gives bytes to the kernel, which may take only some of them.
    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult
    /// From now on nothing is taken from the kernel and nothing is told of what arrives: the peer's bytes fill the kernel's
    /// buffers. For a simulator that plays a peer who hangs.
    func stopReading()
    /// Ends the stream in order; what the kernel took is still sent. No event follows. May be repeated.
    func close()
    /// Ends the stream with a reset. No event follows. May be repeated.
    func abort()
}

package enum ChannelEvent: Sendable, Equatable {
    /// There are bytes, an end of stream or an error to read. Repeated for as long as that is so.
    case readable
    /// The kernel takes bytes again; comes once after a write was refused with `.wouldBlock`.
    case writable
}

package enum ReadResult: Sendable, Equatable {
    case bytes(Int)
    case wouldBlock
    case endOfStream
    case failed(Int32)
}

package enum WriteResult: Sendable, Equatable {
    case taken(Int)
    case wouldBlock
    case failed(Int32)
}
