#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// The sender's copy of the dynamic table that the receiver of header blocks keeps (RFC 7541, section 2.3.2).
struct DynamicTable {
    private struct Entry {
        var start: Int
        var nameCount: Int
        var valueCount: Int

        /// What an entry counts beyond its name and its value (RFC 7541, section 4.1).
        static let overhead = 32

        var size: Int { nameCount + valueCount + Self.overhead }
    }

    /// The newest is the last.
    private var entries: [Entry] = []
    /// Name and value of each entry, in their order.
    private var bytes: [UInt8] = []
    private var size = 0
    /// The most that `size` may be.
    private(set) var limit: Int

    init(limit: Int) { self.limit = limit }

    /// The index of an entry in the address space of both tables (RFC 7541, section 2.3.3).
    private func index(_ position: Int) -> Int { StaticTable.count + entries.count - position }

    /// The index of the newest entry with this name and value; nil if there is none.
    func index(of name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Int? {
        bytes.withUnsafeBytes { bytes in
            for position in entries.indices.reversed() {
                let entry = entries[position]
                // Values differ more than names: compare them first.
                guard entry.nameCount == name.count, entry.valueCount == value.count,
                    bytes.holds(value, at: entry.start + entry.nameCount),
                    bytes.holds(name, at: entry.start)
                else { continue }
                return index(position)
            }
            return nil
        }
    }

    /// The index of the newest entry with this name; nil if there is none.
    func index(ofName name: UnsafeRawBufferPointer) -> Int? {
        bytes.withUnsafeBytes { bytes in
            for position in entries.indices.reversed() {
                let entry = entries[position]
                if entry.nameCount == name.count, bytes.holds(name, at: entry.start) {
                    return index(position)
                }
            }
            return nil
        }
    }

    /// Whether the table should hold a field: a larger one would evict most others.
    func hasRoom(for name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        name.count + value.count + Entry.overhead <= limit / 4
    }

    /// Adds an entry, and evicts the oldest until it fits (RFC 7541, section 4.4).
    mutating func insert(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let size = name.count + value.count + Entry.overhead
        assert(size <= limit, "`hasRoom` was not asked")
        evict(until: limit - size)
        self.size += size
        entries.append(Entry(start: bytes.count, nameCount: name.count, valueCount: value.count))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
    }

    /// Changes the limit, and evicts the oldest entries until the rest fits (RFC 7541, section 4.3).
    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        evict(until: limit)
    }

    private mutating func evict(until room: Int) {
        guard size > room else { return }
        var count = 0
        var gone = 0
        while count < entries.count, size > room {
            size -= entries[count].size
            gone += entries[count].nameCount + entries[count].valueCount
            count += 1
        }
        entries.removeFirst(count)
        bytes.removeFirst(gone)
        for position in entries.indices { entries[position].start -= gone }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether other bytes stand at a position, which has room for them.
    func holds(_ other: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard let bytes = baseAddress, let first = other.baseAddress, !other.isEmpty else { return true }
        return memcmp(bytes + start, first, other.count) == 0
    }
}
