/// The header fields that arrived with a request or a response, in order, pseudo-header fields included.
///
/// One byte array holds everything (two lengths, name, value, field after field); text is made when asked for.
package struct HeaderBlock: Sendable, Hashable {
    private static let prefix = 8

    private var bytes: [UInt8] = []
    /// How many fields there are.
    package private(set) var count = 0

    package init() {}

    package mutating func append(name: String, value: String) {
        var name = name
        var value = value
        name.withUTF8 { name in value.withUTF8 { append(name, $0) } }
    }

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        // One allocation serves a usual answer of APNs: :status, apns-id and one or two more.
        if bytes.isEmpty { bytes.reserveCapacity(160) }
        appendLength(name.count)
        appendLength(value.count)
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        count += 1
    }

    /// The number in `:status`, if it is one.
    package var status: Int? { first(":status").flatMap { Int($0) } }

    /// All fields, decoded. Bytes that are not UTF-8 become the replacement character.
    package var fields: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        result.reserveCapacity(count)
        forEachField { name, value in
            result.append((text(name), text(value)))
            return true
        }
        return result
    }

    /// The value of the first field of that name (lower case), or nil.
    package func first(_ name: String) -> String? {
        var result: String?
        forEachField { candidate, value in
            guard bytes[candidate].elementsEqual(name.utf8) else { return true }
            result = text(value)
            return false
        }
        return result
    }

    /// The number of fields of that name (lower case).
    package func occurrences(of name: String) -> Int {
        var result = 0
        forEachField { candidate, _ in
            if bytes[candidate].elementsEqual(name.utf8) { result += 1 }
            return true
        }
        return result
    }

    /// The bytes of all names and values.
    package var byteCount: Int { bytes.count - Self.prefix * count }

    /// Lends every field's name and value, in order, without making strings of them.
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

    private mutating func appendLength(_ length: Int) {
        withUnsafeBytes(of: UInt32(clamping: length).bigEndian) { bytes.append(contentsOf: $0) }
    }

    private func length(at position: Int) -> Int {
        bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
