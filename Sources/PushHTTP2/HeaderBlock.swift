/// The header fields of a received request or response, in order. A request includes its pseudo-header fields; a
/// response does not include `:status`.
///
/// One byte array holds everything; strings are made on demand.
package struct HeaderBlock: Sendable, Hashable {
    /// What a field takes beside its name and its value.
    package static let prefix = 8

    /// For each field: the lengths of name and value as 32-bit integers in native byte order, then the bytes of both.
    package private(set) var bytes: [UInt8] = []
    /// How many fields there are.
    package private(set) var count = 0

    package init() {}

    /// An empty block with room for this many bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Copies fields that already have the form of `bytes`.
    init(_ fields: UnsafeRawBufferPointer, count: Int) {
        self.count = count
        bytes = Array(fields)
    }

    package mutating func append(name: String, value: String) {
        var name = name
        var value = value
        name.withUTF8 { name in value.withUTF8 { append(name, $0) } }
    }

    package mutating func append(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        name.withUnsafeBufferPointer { name in value.withUnsafeBufferPointer { append(name, $0) } }
    }

    /// The same in memory of its own, of exactly its size.
    package var copy: HeaderBlock { bytes.withUnsafeBytes { HeaderBlock($0, count: count) } }

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        // One allocation is enough for a usual APNs answer: apns-id and one or two more fields.
        if bytes.isEmpty { bytes.reserveCapacity(128) }
        let size = Self.prefix + name.count + value.count
        // Append in one piece: each append costs about a hundred instructions.
        withUnsafeTemporaryAllocation(byteCount: size, alignment: MemoryLayout<UInt32>.alignment) { field in
            field.storeBytes(of: UInt32(clamping: name.count), as: UInt32.self)
            field.storeBytes(of: UInt32(clamping: value.count), toByteOffset: 4, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: field[Self.prefix...]).copyMemory(
                from: UnsafeRawBufferPointer(name))
            UnsafeMutableRawBufferPointer(rebasing: field[(Self.prefix + name.count)...])
                .copyMemory(from: UnsafeRawBufferPointer(value))
            bytes.append(contentsOf: UnsafeRawBufferPointer(field))
        }
        count += 1
    }

    /// All fields, decoded. Invalid UTF-8 becomes the replacement character.
    package var fields: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        result.reserveCapacity(count)
        forEachField { name, value in
            result.append((text(name), text(value)))
            return true
        }
        return result
    }

    /// The value of the first field with this name (lower case), or nil.
    package func first(_ name: String) -> String? {
        var result: String?
        forEachField { candidate, value in
            guard bytes[candidate].elementsEqual(name.utf8) else { return true }
            result = text(value)
            return false
        }
        return result
    }

    /// The number of fields with this name (lower case).
    package func occurrences(of name: String) -> Int {
        var result = 0
        forEachField { candidate, _ in
            if bytes[candidate].elementsEqual(name.utf8) { result += 1 }
            return true
        }
        return result
    }

    /// The total size of all names and values in bytes.
    package var byteCount: Int { bytes.count - Self.prefix * count }

    /// Passes every field's name and value to `visit`, in order, without making strings.
    package func forEach(_ visit: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        forEachField { name, value in
            visit(bytes[name], bytes[value])
            return true
        }
    }

    private func forEachField(_ visit: (Range<Int>, Range<Int>) -> Bool) {
        var position = 0
        while position < bytes.count {
            let nameCount = length(at: position)
            let valueCount = length(at: position + 4)
            let name = position + Self.prefix..<position + Self.prefix + nameCount
            let value = name.upperBound..<name.upperBound + valueCount
            guard visit(name, value) else { return }
            position = value.upperBound
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func length(at position: Int) -> Int {
        bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: position, as: UInt32.self)) }
    }
}

extension HeaderBlock {
    /// Compares a block with fields that come one after the other, without a block of them.
    package struct Comparison {
        private let block: HeaderBlock
        private var position = 0
        private var isSame = true

        package init(_ block: HeaderBlock) { self.block = block }

        /// Whether the fields that came are those of the block, and all of them.
        package var isEqual: Bool { isSame && position == block.bytes.count }

        package mutating func next(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
            guard isSame else { return }
            let size = HeaderBlock.prefix + name.count + value.count
            isSame =
                position + size <= block.bytes.count && block.length(at: position) == name.count
                && block.length(at: position + 4) == value.count
                && block.holds(name, at: position + HeaderBlock.prefix)
                && block.holds(value, at: position + HeaderBlock.prefix + name.count)
            position += size
        }
    }

    /// Whether these bytes stand at `position`, which has room for them.
    private func holds(_ part: ArraySlice<UInt8>, at position: Int) -> Bool {
        part.withUnsafeBytes { part in bytes.withUnsafeBytes { $0.holds(part, at: position) } }
    }
}
