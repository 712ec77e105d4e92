/// The header fields of the requests that were submitted and not yet produced, in the order of their streams.
///
/// They wait as fields, because a header block depends on all blocks that are sent before it.
struct WaitingHeads: ~Copyable {
    /// The fields of one request.
    struct Head {
        /// A `FieldList`'s fixed part.
        var fixed: [UInt8]
        /// Its values that vary; valid until the next change of the heads.
        var varying: UnsafeRawBufferPointer
    }

    private struct Entry {
        var stream: StreamID
        /// How many bytes of values that vary follow.
        var count: Int32
        /// Whether its fixed part is the next of `lists`, and not that of the entry before.
        var changes: Bool
    }

    /// Memory beyond this is freed once no head waits, because connections are idle most of the time.
    private static let keptCapacity = 128

    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var start = 0
    private var end = 0
    /// The fixed parts, in the order of the entries that change them.
    private var lists: [[UInt8]] = []
    /// The one of the entry taken last; -1 before the first.
    private var list = -1

    init() {}

    deinit { memory.deallocate() }

    /// How many fixed parts it keeps.
    var listsKept: Int { lists.count }

    mutating func append(_ stream: StreamID, fields: borrowing FieldList) {
        let changes = lists.last.map { !$0.hasStorage(of: fields.fixed) } ?? true
        if changes { lists.append(fields.fixed) }
        fields.varying.withUnsafeBytes { varying in
            let entry = Entry(stream: stream, count: Int32(clamping: varying.count), changes: changes)
            let size = MemoryLayout<Entry>.size + varying.count
            if memory.count - end < size { grow(by: size) }
            memory.storeBytes(of: entry, toByteOffset: end, as: Entry.self)
            UnsafeMutableRawBufferPointer(rebasing: memory[(end + MemoryLayout<Entry>.size)...])
                .copyMemory(from: varying)
            end += size
        }
    }

    /// Takes out the fields of a stream, and drops those of earlier streams: they were reset before they were produced.
    mutating func take(_ stream: StreamID) -> Head? {
        while start < end {
            let entry = memory.loadUnaligned(fromByteOffset: start, as: Entry.self)
            guard entry.stream <= stream else { return nil }
            let varying = start + MemoryLayout<Entry>.size
            start = varying + Int(entry.count)
            if entry.changes { nextList() }
            if entry.stream == stream {
                return Head(fixed: lists[list], varying: UnsafeRawBufferPointer(rebasing: memory[varying..<start]))
            }
        }
        return nil
    }

    private mutating func nextList() {
        list += 1
        // A backlog may never end, so lists that were taken are dropped now and then.
        guard list >= 64 else { return }
        lists.removeFirst(list)
        list = 0
    }

    /// Frees the memory of heads that were taken, once all are.
    mutating func trim() {
        if start == end, end > 0 { removeAll() }
    }

    /// Frees all memory, if no head waits.
    mutating func rest() {
        if start == end { self = WaitingHeads() }
    }

    mutating func removeAll() {
        start = 0
        end = 0
        // The last one stays, because the next request is likely to have the same fields.
        lists.removeFirst(max(0, lists.count - 1))
        list = lists.count - 1
        guard memory.count > Self.keptCapacity else { return }
        memory.deallocate()
        memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        let waiting = UnsafeRawBufferPointer(rebasing: memory[start..<end])
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(Self.keptCapacity, 2 * (waiting.count + size)), alignment: 16)
        larger.copyMemory(from: waiting)
        memory.deallocate()
        memory = larger
        end = waiting.count
        start = 0
    }
}

extension [UInt8] {
    /// Whether both are the same memory. While both are kept, their contents are then the same.
    @inline(__always)
    func hasStorage(of other: [UInt8]) -> Bool {
        withUnsafeBytes { one in other.withUnsafeBytes { one.baseAddress == $0.baseAddress } }
    }
}
