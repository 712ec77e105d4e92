/// Encodes the header blocks of one direction of a connection (HPACK, RFC 7541), in the order in which they are sent.
///
/// nghttp2's encoder compresses every literal with the Huffman code and keeps `authorization` out of the table, as it
/// does not know that a provider token repeats for an hour. This one writes literals as they are, and each repeated
/// field as one byte (see docs/decisions/0017-request-encoder.md).
struct HeaderEncoder {
    /// What a table holds until the receiver says otherwise (RFC 9113, section 6.5.2), and the most that ours holds.
    private static let defaultLimit = 4_096

    private var table = DynamicTable(limit: HeaderEncoder.defaultLimit)
    /// The smallest limit since the last block; nil if it did not change. The next block begins with it.
    private var lowered: Int?

    /// The last block and the list it was made of, unless it changed the table.
    private var last = LastBlock()

    /// The receiver allows a table of this size. Takes effect with the next block (RFC 7541, section 4.2).
    mutating func peerAllows(_ size: Int) {
        let limit = min(size, Self.defaultLimit)
        guard limit != table.limit else { return }
        lowered = min(lowered ?? limit, limit, table.limit)
        table.setLimit(limit)
        last.forget()
    }

    /// Frees what is not part of the table: the last block.
    mutating func rest() { last = LastBlock() }

    /// How much memory `encode` needs at most.
    static func capacity(_ fields: borrowing WaitingHeads.Head) -> Int {
        // Each field's head is larger than the lengths that encode it; the rest is for changed limits.
        fields.fixed.count + fields.varying.count + 16
    }

    /// Writes a block.
    ///
    /// - Parameter block: Has room for `capacity` bytes.
    /// - Returns: The length of the block.
    mutating func encode(_ fields: WaitingHeads.Head, into block: UnsafeMutableRawPointer) -> Int {
        if let count = last.repeated(fields, into: block) { return count }
        last.forget()
        var writer = BlockWriter(block)
        var isStable = lowered == nil
        if let lowered { announceLimit(lowered, into: &writer) }
        fields.fixed.withUnsafeBytes { fixed in
            var reader = FieldReader(fixed: fixed, varying: fields.varying)
            while let field = reader.next() {
                if encode(field, into: &writer) { isStable = false }
                if field.head.varies { last.noteValue(field.value.count, endsAt: writer.count) }
            }
        }
        if isStable { last.keep(fields.fixed, block: UnsafeRawBufferPointer(start: block, count: writer.count)) }
        return writer.count
    }

    /// Of several changes between two blocks, the smallest limit and the last one are sent (RFC 7541, section 4.2).
    private mutating func announceLimit(_ lowest: Int, into block: inout BlockWriter) {
        block.integer(lowest, prefix: 5, pattern: 0x20)
        if table.limit != lowest { block.integer(table.limit, prefix: 5, pattern: 0x20) }
        lowered = nil
    }

    /// True if it changed the table.
    private mutating func encode(_ field: FieldView, into block: inout BlockWriter) -> Bool {
        if field.head.entry.hasValue {
            block.integer(Int(field.head.entry.index), prefix: 7, pattern: 0x80)
            return false
        }
        switch field.head.indexing {
        // Of a value that varies, only the name is worth an entry. And its literal is overwritten in the next block.
        case .incremental where !field.head.varies:
            guard let index = table.index(of: field.name, value: field.value) else {
                return addLiteral(field, to: &block)
            }
            block.integer(index, prefix: 7, pattern: 0x80)
        case .incremental, .firstOnly:
            guard let name = nameIndex(field) else { return addLiteral(field, to: &block) }
            block.literal(field, name: name, prefix: 4, pattern: 0x00)
        case .without: block.literal(field, name: nameIndex(field), prefix: 4, pattern: 0x00)
        case .never: block.literal(field, name: nameIndex(field), prefix: 4, pattern: 0x10)
        }
        return false
    }

    /// With incremental indexing, unless the field is too large. True if it changed the table.
    private mutating func addLiteral(_ field: FieldView, to block: inout BlockWriter) -> Bool {
        let name = nameIndex(field)
        guard table.hasRoom(for: field.name, value: field.value) else {
            block.literal(field, name: name, prefix: 4, pattern: 0x00)
            return false
        }
        block.literal(field, name: name, prefix: 6, pattern: 0x40)
        table.insert(field.name, field.value)
        return true
    }

    private func nameIndex(_ field: FieldView) -> Int? {
        field.head.entry.index != 0 ? Int(field.head.entry.index) : table.index(ofName: field.name)
    }
}

/// A block whose next one differs only in the values that vary.
private struct LastBlock {
    /// Where a value that varies ends in the block.
    private struct Value {
        var count: Int
        var end: Int
    }

    /// The fields it was made of; nil if there is no such block. While they are kept, no other list has their memory.
    private var fields: [UInt8]?
    private var bytes: [UInt8] = []
    private var values: [Value] = []

    mutating func forget() {
        fields = nil
        values.removeAll(keepingCapacity: true)
    }

    mutating func noteValue(_ count: Int, endsAt end: Int) { values.append(Value(count: count, end: end)) }

    mutating func keep(_ fields: [UInt8], block: UnsafeRawBufferPointer) {
        guard block.count <= Self.largest else { return }
        self.fields = fields
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: block)
    }

    /// Larger blocks are made again: a connection keeps its last one until it rests.
    private static let largest = 1_024

    /// Writes the block with other values; nil if other fields differ, too.
    func repeated(_ head: WaitingHeads.Head, into block: UnsafeMutableRawPointer) -> Int? {
        guard let fields, fields.hasStorage(of: head.fixed) else { return nil }
        bytes.withUnsafeBytes { if let start = $0.baseAddress { block.copyMemory(from: start, byteCount: $0.count) } }
        var rest = head.varying.baseAddress
        for value in values {
            guard let source = rest else { break }
            (block + value.end - value.count).copyMemory(from: source, byteCount: value.count)
            rest = source + value.count
        }
        return bytes.count
    }
}

/// Writes the parts of a header block (RFC 7541, sections 5 and 6) into memory that is large enough.
private struct BlockWriter {
    private let start: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer

    init(_ start: UnsafeMutableRawPointer) {
        self.start = start
        end = start
    }

    var count: Int { end - start }

    /// An integer whose first `bits` bits share their byte with `pattern`.
    @inline(__always)
    mutating func integer(_ value: Int, prefix bits: Int, pattern: UInt8) {
        let full = 1 << bits - 1
        guard value >= full else { return byte(pattern | UInt8(truncatingIfNeeded: value)) }
        byte(pattern | UInt8(truncatingIfNeeded: full))
        var rest = value - full
        while rest >= 0x80 {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    /// A literal field; nil means that its name is in no table.
    @inline(__always)
    mutating func literal(_ field: FieldView, name: Int?, prefix bits: Int, pattern: UInt8) {
        integer(name ?? 0, prefix: bits, pattern: pattern)
        if name == nil { text(field.name) }
        text(field.value)
    }

    /// A string without the Huffman code, which saves a fifth of a device token's bytes and costs 20 instructions each.
    @inline(__always)
    private mutating func text(_ text: UnsafeRawBufferPointer) {
        integer(text.count, prefix: 7, pattern: 0x00)
        guard let bytes = text.baseAddress else { return }
        end.copyMemory(from: bytes, byteCount: text.count)
        end += text.count
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        end.storeBytes(of: byte, as: UInt8.self)
        end += 1
    }
}
