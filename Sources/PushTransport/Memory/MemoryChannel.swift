import Dispatch
import Glibc
import PushLocking

/// One end of a connection in memory. It behaves like a socket: a bounded buffer per direction, partial writes, and
/// events on the queue, repeated while there is something to read. The other functions are hooks for tests and may be
/// called from any thread.
package final class MemoryChannel: ByteChannel {
    private struct End {
        var queue: DispatchQueue?
        var onEvent: (@Sendable (ChannelEvent) -> Void)?
        var isScheduled = false
        var isClosed = false
    }

    /// The state that both ends share: the ends, and the pipe that each of them writes to.
    private struct Link {
        var ends = [End(), End()]
        var pipes: [MemoryPipe]
    }

    private let link: Locked<Link>
    private let side: Int
    private var other: Int { 1 - side }

    private init(link: Locked<Link>, side: Int) {
        self.link = link
        self.side = side
    }

    deinit { close() }

    /// Creates the two ends of a connection. Each may write `capacity` bytes ahead of its reader.
    package static func pair(capacity: Int = 64 << 10) -> (MemoryChannel, MemoryChannel) {
        let pipe = MemoryPipe(capacity: capacity)
        let link = Locked(Link(pipes: [pipe, pipe]))
        return (MemoryChannel(link: link, side: 0), MemoryChannel(link: link, side: 1))
    }

    // MARK: ByteChannel

    package func activate(on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void) {
        change { link in
            guard !link.ends[side].isClosed, link.ends[side].queue == nil else { return }
            link.ends[side].queue = queue
            link.ends[side].onEvent = onEvent
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        change { link in
            link.ends[side].isClosed ? .endOfStream : link.pipes[other].read(into: buffer)
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        change { link in
            link.ends[side].isClosed ? .failed(EPIPE) : link.pipes[side].write(bytes)
        }
    }

    package func stopReading() { hold() }

    package func close() { end(peerFailure: nil) }

    package func abort() { end(peerFailure: ECONNRESET) }

    private func end(peerFailure: Int32?) {
        change { link in
            guard !link.ends[side].isClosed else { return }
            link.ends[side].isClosed = true
            link.ends[side].onEvent = nil
            link.pipes[side].isFinished = true
            if let peerFailure { link.pipes[side].failure = peerFailure }
            // This end no longer reads what the peer writes.
            link.pipes[other].discard()
            if link.pipes[other].failure == nil { link.pipes[other].failure = peerFailure ?? EPIPE }
        }
    }

    // MARK: Hooks

    /// How many bytes of this end's writes the kernel accepted.
    package var bytesTaken: Int { link.withLock { $0.pipes[side].taken } }

    /// How many of those bytes the peer has not read yet.
    package var bytesInFlight: Int { link.withLock { $0.pipes[side].count } }

    /// How many bytes of the peer's writes arrived for this end, read or not.
    package var bytesArrived: Int { link.withLock { $0.pipes[other].taken } }

    /// In how many writes they arrived.
    package var writesArrived: Int { link.withLock { $0.pipes[other].writes } }

    /// Limits how many unread bytes of this end's writes the kernel holds.
    package func setCapacity(_ bytes: Int) { change { $0.pipes[side].capacity = bytes } }

    /// Lets the kernel accept exactly `count` more bytes of this end's writes; nil removes the limit.
    package func accept(exactly count: Int?) { change { $0.pipes[side].allowance = count } }

    /// How many bytes of this end's writes the kernel still accepts; nil without a limit.
    package var allowance: Int? { link.withLock { $0.pipes[side].allowance } }

    /// While held, nothing arrives at this end: no bytes, no end of stream.
    package func hold(isHeld: Bool = true) { change { $0.pipes[other].isHeld = isHeld } }

    /// While held, nothing that this end writes arrives at the peer; the kernel accepts it anyway.
    package func holdWrites(isHeld: Bool = true) { change { $0.pipes[side].isHeld = isHeld } }

    /// Ends the stream towards this end, after the bytes in flight.
    package func endStream() { change { $0.pipes[other].isFinished = true } }

    /// Resets the connection: bytes in flight are lost, and both ends fail with `ECONNRESET`.
    package func reset() {
        change { link in
            for side in 0...1 {
                link.pipes[side].discard()
                link.pipes[side].failure = ECONNRESET
            }
        }
    }

    /// Returns once the work that this end's queue had, or was doing, when this was called is over; at once before
    /// activation.
    package func queueCatchesUp() async { await catchUp(side) }

    /// Returns once the other end has been told all that happened before this was called, and has acted.
    package func peerNotices() async {
        // Twice: an event that happens while one is delivered is delivered after that.
        for _ in 0..<2 { await catchUp(other) }
    }

    private func catchUp(_ side: Int) async {
        guard let queue = link.withLock({ $0.ends[side].queue }) else { return }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    // MARK: Events

    private func change<Result>(_ body: (inout Link) -> Result) -> Result {
        link.withLock { link in
            defer {
                Self.schedule(side, link: &link, shared: self.link)
                Self.schedule(other, link: &link, shared: self.link)
            }
            return body(&link)
        }
    }

    /// Schedules at most one block per end at a time, as a Dispatch source coalesces.
    private static func schedule(_ side: Int, link: inout Link, shared: Locked<Link>) {
        guard let queue = link.ends[side].queue, !link.ends[side].isClosed, !link.ends[side].isScheduled,
            link.pipes[1 - side].isReadable || link.pipes[side].isWritableAgain
        else { return }
        link.ends[side].isScheduled = true
        queue.async { deliver(side, shared: shared) }
    }

    private static func deliver(_ side: Int, shared: Locked<Link>) {
        if let onEvent = shared.withLock({ $0.pipes[1 - side].isReadable ? $0.ends[side].onEvent : nil }) {
            onEvent(.readable)
        }
        let onWritable = shared.withLock { link -> (@Sendable (ChannelEvent) -> Void)? in
            guard link.pipes[side].isWritableAgain else { return nil }
            link.pipes[side].refused = false
            return link.ends[side].onEvent
        }
        onWritable?(.writable)
        shared.withLock { link in
            link.ends[side].isScheduled = false
            schedule(side, link: &link, shared: shared)
        }
    }
}

/// One direction of a memory connection: the bytes that its writer's "kernel" accepted and its reader has not read yet.
struct MemoryPipe {
    /// How many bytes it holds at most. It refuses more.
    var capacity: Int
    /// How many more bytes it accepts, whatever its capacity; nil for no such limit.
    var allowance: Int?
    /// While true, the reader sees no arrived bytes.
    var isHeld = false
    /// How many bytes it accepted so far.
    private(set) var taken = 0
    /// How many writes it accepted, at least in part.
    private(set) var writes = 0
    /// An end of stream follows the last byte.
    var isFinished = false
    /// Reads and writes fail with this errno.
    var failure: Int32?
    /// A write was refused, and no `.writable` has followed yet.
    var refused = false

    private var bytes: [UInt8] = []
    private var head = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { bytes.count - head }
    var room: Int { max(0, min(capacity - count, allowance ?? .max)) }
    var isReadable: Bool { failure != nil || (!isHeld && (count > 0 || isFinished)) }
    var isWritableAgain: Bool { refused && (failure != nil || room > 0) }

    mutating func write(_ source: UnsafeRawBufferPointer) -> WriteResult {
        if let failure { return .failed(failure) }
        let accepted = min(source.count, room)
        guard accepted > 0 || source.isEmpty else {
            refused = true
            return .wouldBlock
        }
        bytes.append(contentsOf: source.prefix(accepted))
        taken += accepted
        writes += 1
        if let allowance { self.allowance = allowance - accepted }
        return .taken(accepted)
    }

    mutating func read(into target: UnsafeMutableRawBufferPointer) -> ReadResult {
        if let failure { return .failed(failure) }
        if isHeld { return .wouldBlock }
        guard count > 0 else { return isFinished ? .endOfStream : .wouldBlock }
        let given = min(count, target.count)
        target.copyBytes(from: bytes[head..<head + given])
        head += given
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            head = 0
        }
        return .bytes(given)
    }

    mutating func discard() {
        bytes = []
        head = 0
    }
}
