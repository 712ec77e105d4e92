import CPushNghttp2

/// The header fields of one request or response, in order: pseudo-header fields first, names in lower case.
///
/// Meant to be filled, submitted, emptied and filled again: values lie in one byte buffer, names given as literals are
/// used where they lie in the program, so that a push costs no allocation once the buffers have grown.
package struct FieldList: Sendable {
    private struct Entry: Sendable {
        /// The address of a name that lives as long as the program, or 0: then the name lies in `bytes`.
        var staticName: UInt
        var nameStart: Int
        var nameCount: Int
        var valueStart: Int
        var valueCount: Int
        var indexing: FieldIndexing
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    private var nameBytes = 0
    private var valueBytes = 0

    package init() {}

    package var count: Int { entries.count }

    /// The size as RFC 9113 section 6.5.2 counts a header list: names, values, and 32 a field.
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
            staticName: 0, nameStart: bytes.count, nameCount: 0, valueStart: 0, valueCount: 0, indexing: indexing)
        bytes.append(contentsOf: name.utf8)
        entry.nameCount = bytes.count - entry.nameStart
        entry.valueStart = bytes.count
        bytes.append(contentsOf: value.utf8)
        end(entry)
    }

    private mutating func begin(_ name: StaticString, _ indexing: FieldIndexing) -> Entry {
        var entry = Entry(
            staticName: 0, nameStart: bytes.count, nameCount: name.utf8CodeUnitCount, valueStart: 0, valueCount: 0,
            indexing: indexing)
        if name.hasPointerRepresentation {
            entry.staticName = UInt(bitPattern: name.utf8Start)
        } else {
            // A literal of a single scalar has no address.
            bytes.append(contentsOf: name.description.utf8)
            entry.nameCount = bytes.count - entry.nameStart
        }
        entry.valueStart = bytes.count
        return entry
    }

    private mutating func end(_ open: Entry) {
        var entry = open
        entry.valueCount = bytes.count - entry.valueStart
        nameBytes += entry.nameCount
        valueBytes += entry.valueCount
        entries.append(entry)
    }

    /// Lends the fields in nghttp2's form; `scratch` is reused from call to call. The pointers end with `body`.
    func withNativeFields<Result>(
        scratch: inout [nghttp2_nv], _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            scratch.removeAll(keepingCapacity: true)
            // nghttp2 declares these pointers mutable and only reads through them. An empty list of bytes may have
            // no address; then every value is empty, and any address will do.
            let base = UnsafeMutablePointer(mutating: bytes.baseAddress)
            for entry in entries {
                var flags = UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                if entry.indexing == .never { flags |= UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
                var name = base.map { $0 + entry.nameStart }
                if entry.staticName != 0 {
                    flags |= UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
                    name = UnsafeMutablePointer(bitPattern: entry.staticName)
                }
                let value = base.map { $0 + entry.valueStart } ?? name
                scratch.append(
                    nghttp2_nv(
                        name: name, value: value, namelen: entry.nameCount, valuelen: entry.valueCount, flags: flags))
            }
            return scratch.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}
