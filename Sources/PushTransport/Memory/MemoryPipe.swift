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
