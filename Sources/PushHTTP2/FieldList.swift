import CPushNghttp2

/// The header fields of one request or response, in order: pseudo-header fields first, names in lower case.
///
/// Fill it, submit it, empty it and fill it again. Values that differ from request to request are kept apart. A list of
/// which only those were overwritten shares the memory of all other fields with the last one, and so its header block
/// can be taken from that one's.
package struct FieldList: Sendable {
    /// For each field: what `FieldHead` stores, then the bytes of the name and, unless it varies, of the value.
    private(set) var fixed: [UInt8] = []
    /// The values that vary, in order.
    private(set) var varying: [UInt8] = []
    package private(set) var count = 0
    private var nameBytes = 0
    private var valueBytes = 0

    package init() {}

    /// The size of the header list as defined by RFC 9113, section 6.5.2: names, values, and 32 per field.
    package var listSize: Int { nameBytes + valueBytes + 32 * count }

    /// How many bytes all values that vary have.
    package var varyingCount: Int { varying.count }

    /// Empties the list and keeps its memory.
    package mutating func removeAll() {
        fixed.removeAll(keepingCapacity: true)
        varying.removeAll(keepingCapacity: true)
        count = 0
        nameBytes = 0
        valueBytes = 0
    }

    package mutating func append(_ name: StaticString, _ value: String, indexing: FieldIndexing = .incremental) {
        var value = value
        value.withUTF8 { append(name, bytes: UnsafeRawBufferPointer($0), indexing: indexing) }
    }

    /// - Parameter varies: Whether `overwriteVarying` may replace its value.
    package mutating func append(
        _ name: StaticString, bytes value: UnsafeRawBufferPointer, indexing: FieldIndexing = .incremental,
        varies: Bool = false
    ) {
        name.withUTF8Buffer { append(UnsafeRawBufferPointer($0), value, indexing: indexing, varies: varies) }
    }

    package mutating func append(name: String, value: String, indexing: FieldIndexing = .incremental) {
        var (name, value) = (name, value)
        name.withUTF8 { name in
            value.withUTF8 {
                append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer($0), indexing: indexing, varies: false)
            }
        }
    }

    private mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, indexing: FieldIndexing, varies: Bool
    ) {
        let head = FieldHead(
            name: UInt32(clamping: name.count), value: UInt32(clamping: value.count), indexing: indexing,
            varies: varies, entry: varies ? StaticTable.find(name) : StaticTable.find(name, value))
        withUnsafeBytes(of: head) { fixed.append(contentsOf: $0) }
        fixed.append(contentsOf: name)
        if varies { varying.append(contentsOf: value) } else { fixed.append(contentsOf: value) }
        count += 1
        nameBytes += name.count
        valueBytes += value.count
    }

    /// Overwrites values that vary with others of the same lengths.
    ///
    /// - Parameter place: Their bytes among those of all values that vary.
    package mutating func overwriteVarying(_ place: Range<Int>, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        varying.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[place])) }
    }

    /// Passes `body` the fields in nghttp2's form. The pointers are valid only within `body`.
    borrowing func withNativeFields<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        fixed.withUnsafeBytes { fixed in
            varying.withUnsafeBytes { varying in
                withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count) { list in
                    var fields = FieldReader(fixed: fixed, varying: varying)
                    var index = 0
                    while let field = fields.next() {
                        list.initializeElement(at: index, to: field.native)
                        index += 1
                    }
                    return body(list.baseAddress, index)
                }
            }
        }
    }
}

/// How a field is encoded in the header block (RFC 7541, section 6.2).
package enum FieldIndexing: UInt8, Sendable {
    /// With incremental indexing: later blocks encode the field as a small number.
    case incremental
    /// With incremental indexing if its name is in no table yet, then without: later blocks encode the name as a small
    /// number.
    case firstOnly
    /// Without indexing.
    case without
    /// Never indexed: the value stays out of the dynamic tables of both ends and of every intermediary.
    case never
}

/// What a list stores before the bytes of a field.
struct FieldHead {
    /// The lengths of name and value.
    var name: UInt32
    var value: UInt32
    var indexing: FieldIndexing
    var varies: Bool
    /// The best entry of HPACK's static table for it.
    var entry: StaticTable.Entry
}

/// A field of a list, valid as long as the list's bytes are.
struct FieldView {
    var name: UnsafeRawBufferPointer
    var value: UnsafeRawBufferPointer
    var head: FieldHead

    /// nghttp2 declares these pointers mutable but only reads through them.
    fileprivate var native: nghttp2_nv {
        let flag = head.indexing == .incremental ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
        return nghttp2_nv(
            name: Self.pointer(name), value: Self.pointer(value), namelen: name.count, valuelen: value.count,
            flags: UInt8(flag.rawValue))
    }

    private static func pointer(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
    }
}

/// Reads the fields of a list one after the other.
struct FieldReader {
    private var fixed: UnsafeRawBufferPointer
    private var varying: UnsafeRawBufferPointer

    /// - Parameters: The bytes of a `FieldList`.
    init(fixed: UnsafeRawBufferPointer, varying: UnsafeRawBufferPointer) {
        self.fixed = fixed
        self.varying = varying
    }

    @inline(__always)
    mutating func next() -> FieldView? {
        let prefix = MemoryLayout<FieldHead>.size
        guard fixed.count >= prefix else { return nil }
        let head = fixed.loadUnaligned(as: FieldHead.self)
        _ = Self.take(prefix, of: &fixed)
        let name = Self.take(Int(head.name), of: &fixed)
        let value =
            head.varies ? Self.take(Int(head.value), of: &varying) : Self.take(Int(head.value), of: &fixed)
        return FieldView(name: name, value: value, head: head)
    }

    @inline(__always)
    private static func take(_ count: Int, of bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[count...]) }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}
