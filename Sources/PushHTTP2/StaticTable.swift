/// The entries of HPACK's static table (RFC 7541, appendix A) that requests to APNs can use.
enum StaticTable {
    /// How many entries the whole table has; the dynamic table is numbered after it.
    static let count = 61

    /// An entry with a field's name.
    struct Entry {
        /// Its index; 0: there is none.
        var index: UInt8 = 0
        /// Whether its value is the field's, too.
        var hasValue = false
    }

    private static let entries: [(index: UInt8, name: StaticString, value: StaticString)] = [
        (1, ":authority", ""), (2, ":method", "GET"), (3, ":method", "POST"), (4, ":path", "/"),
        (7, ":scheme", "https"), (23, "authorization", ""), (28, "content-length", ""), (31, "content-type", ""),
        (58, "user-agent", ""),
    ]

    /// The entry for a field: one with its value, or else the first with its name.
    static func find(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Entry {
        for entry in entries where isEqual(entry.name, to: name) && isEqual(entry.value, to: value) {
            return Entry(index: entry.index, hasValue: true)
        }
        return find(name)
    }

    /// The first entry with this name.
    static func find(_ name: UnsafeRawBufferPointer) -> Entry {
        Entry(index: entries.first { isEqual($0.name, to: name) }?.index ?? 0)
    }

    private static func isEqual(_ text: StaticString, to bytes: UnsafeRawBufferPointer) -> Bool {
        text.utf8CodeUnitCount == bytes.count
            && text.withUTF8Buffer { UnsafeRawBufferPointer($0).elementsEqual(bytes) }
    }
}
