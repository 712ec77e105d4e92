/// One direction of a memory link: the bytes its writer's "kernel" took and its reader has not yet read.
struct MemoryPipe {
    /// Bytes it holds at most; what comes beyond is refused.
    var capacity: Int
    /// Bytes it still takes, whatever room there is; nil for no such limit.
    var allowance: Int?
    /// True while arrived bytes are kept from the reader.
    var isHeld = false
    /// Bytes taken from the writer so far.
    private(set) var taken = 0
    /// Writes of which at least a byte was taken.
    private(set) var writes = 0
    /// After the last byte comes an end of stream.
    var isFinished = false
    /// Reads and writes fail with this errno.
    var failure: Int32?
    /// A write was refused and no `.writable` came since.
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
