import CPushNghttp2

/// The header fields of one request or response, in order: pseudo-header fields first, names in lower case.
///
/// Fill it, submit it, empty it and fill it again. Values share one byte buffer, and names given as literals stay in
/// the program's static memory, so a push allocates nothing once the buffers have grown.
package struct FieldList: Sendable {
    fileprivate struct Entry: Sendable {
        /// The address of a static name, or 0 if the name is in `bytes`.
        var staticName: UInt
        var nameStart: Int
        var nameCount: Int
        var valueStart: Int
        var valueCount: Int
        /// nghttp2's flags.
        var flags: UInt8
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var nameBytes = 0
    private var valueBytes = 0

    package init() {}

    package var count: Int { entries.count }

    /// The size of the header list as defined by RFC 9113, section 6.5.2: names, values, and 32 per field.
    package var listSize: Int { nameBytes + valueBytes + 32 * entries.count }

    /// Empties the list and keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        nameBytes = 0
        valueBytes = 0
    }

    package mutating func append(_ name: StaticString, _ value: String, _ indexing: FieldIndexing = .incremental) {
        let entry = begin(name, indexing)
        bytes.append(contentsOf: value.utf8)
        end(entry)
    }

    package mutating func append(
        _ name: StaticString, bytes value: UnsafeRawBufferPointer, _ indexing: FieldIndexing = .incremental
    ) {
        let entry = begin(name, indexing)
        bytes.append(contentsOf: value)
        end(entry)
    }

    package mutating func append(name: String, value: String, _ indexing: FieldIndexing = .incremental) {
        var entry = Entry(
            staticName: 0, nameStart: bytes.count, nameCount: 0, valueStart: 0, valueCount: 0,
            flags: Self.flags(indexing))
        bytes.append(contentsOf: name.utf8)
        entry.nameCount = bytes.count - entry.nameStart
        entry.valueStart = bytes.count
        bytes.append(contentsOf: value.utf8)
        end(entry)
    }

    /// Overwrites the value of a field with one of the same length.
    ///
    /// - Returns: False if the lengths differ. The list is then unchanged.
    package mutating func overwriteValue(
        at position: Int, count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
    ) -> Bool {
        let entry = entries[position]
        guard entry.valueCount == count else { return false }
        bytes.withUnsafeMutableBytes { bytes in
            write(UnsafeMutableRawBufferPointer(rebasing: bytes[entry.valueStart..<entry.valueStart + count]))
        }
        return true
    }

    private mutating func begin(_ name: StaticString, _ indexing: FieldIndexing) -> Entry {
        var entry = Entry(
            staticName: 0, nameStart: bytes.count, nameCount: name.utf8CodeUnitCount, valueStart: 0, valueCount: 0,
            flags: Self.flags(indexing))
        if name.hasPointerRepresentation {
            entry.staticName = UInt(bitPattern: name.utf8Start)
            entry.flags |= UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        } else {
            // A literal of a single scalar has no address.
            bytes.append(contentsOf: name.description.utf8)
            entry.nameCount = bytes.count - entry.nameStart
        }
        entry.valueStart = bytes.count
        return entry
    }

    private static func flags(_ indexing: FieldIndexing) -> UInt8 {
        let flag = indexing == .never ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
        return UInt8(flag.rawValue)
    }

    private mutating func end(_ open: Entry) {
        var entry = open
        entry.valueCount = bytes.count - entry.valueStart
        nameBytes += entry.nameCount
        valueBytes += entry.valueCount
        entries.append(entry)
    }

    /// Passes `body` the fields in nghttp2's form. The pointers are valid only within `body`.
    borrowing func withNativeFields<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        let count = entries.count
        return bytes.withUnsafeBufferPointer { bytes in
            entries.withUnsafeBufferPointer { entries in
                withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count) { list in
                    for index in 0..<count { list.initializeElement(at: index, to: entries[index].native(bytes)) }
                    return body(list.baseAddress, count)
                }
            }
        }
    }
}

extension FieldList.Entry {
    /// The field in nghttp2's form; `bytes` are those of the list.
    fileprivate func native(_ bytes: UnsafeBufferPointer<UInt8>) -> nghttp2_nv {
        // nghttp2 declares these pointers mutable but only reads through them. An empty buffer may have no address. All
        // values are empty then, and any address will do.
        let base = UInt(bitPattern: bytes.baseAddress)
        let name = staticName == 0 ? base + UInt(nameStart) : staticName
        let value = base == 0 ? name : base + UInt(valueStart)
        return nghttp2_nv(
            name: UnsafeMutablePointer(bitPattern: name), value: UnsafeMutablePointer(bitPattern: value),
            namelen: nameCount, valuelen: valueCount, flags: flags)
    }
}

/// How a field is encoded in the header block (RFC 7541, section 6.2).
package enum FieldIndexing: Sendable {
    /// With incremental indexing: later requests encode the field, or its name, as a small number.
    case incremental
    /// Never indexed: the value stays out of the dynamic tables of both ends and of every intermediary.
    case never
}
