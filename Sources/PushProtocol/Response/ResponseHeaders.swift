/// The header fields of an answer, in the order received: one block of bytes, decoded on demand.
public struct ResponseHeaders: Hashable, Sendable {
    // Per field: the lengths of name and value as 32-bit integers, then the bytes of both.
    private var block: [UInt8] = []
    private static let prefixLength = 8

    /// Creates an empty list.
    public init() {}

    /// Appends a field.
    public mutating func append(name: String, value: String) {
        name.withContiguousUTF8 { name in
            value.withContiguousUTF8 { value in
                append(name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value))
            }
        }
    }

    /// Appends a field from raw bytes.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let nameLength = UInt32(exactly: name.count), let valueLength = UInt32(exactly: value.count) else {
            return
        }
        withUnsafeBytes(of: (nameLength, valueLength)) { block.append(contentsOf: $0) }
        block.append(contentsOf: name)
        block.append(contentsOf: value)
    }

    /// Uses fields as a session collected them. For each field: the lengths of name and value as 32-bit integers in
    /// native byte order, then the bytes of both.
    package init(block: [UInt8]) { self.block = block }

    /// Whether there are no fields.
    public var isEmpty: Bool { block.isEmpty }

    /// All fields, with names in lower case as in HTTP/2.
    public var fields: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        _ = firstMatch { name, value in
            result.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
            return false
        }
        return result
    }

    /// The value of the first field with this name (lower case).
    public subscript(name: String) -> String? {
        name.withContiguousUTF8 { wanted in
            withFirstValue(of: UnsafeRawBufferPointer(wanted)) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Passes the value of the first field with this name to `body`, as bytes valid only during the call; nil if there
    /// is none.
    package func withFirstValue<Result>(
        of name: StaticString, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        withFirstValue(of: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), body)
    }

    private func withFirstValue<Result>(
        of wanted: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        var result: Result?
        _ = firstMatch { name, value in
            guard name.elementsEqual(wanted) else { return false }
            result = body(value)
            return true
        }
        return result
    }

    /// Calls `matches` for each field until it returns true.
    private func firstMatch(_ matches: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool) -> Bool {
        block.withUnsafeBytes { bytes in
            var position = 0
            while position < bytes.count {
                let nameLength = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let valueLength = Int(bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
                let name = position + Self.prefixLength
                let value = name + nameLength
                position = value + valueLength
                if matches(.init(rebasing: bytes[name..<value]), .init(rebasing: bytes[value..<position])) {
                    return true
                }
            }
            return false
        }
    }
}

extension ResponseHeaders: CustomStringConvertible, CustomReflectable {
    /// One field per line.
    public var description: String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The fields by name.
    public var customMirror: Mirror {
        Mirror(self, children: fields.map { (label: $0.name, value: $0.value) }, displayStyle: .dictionary)
    }
}
