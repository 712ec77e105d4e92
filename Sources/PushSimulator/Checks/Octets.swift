import Glibc

/// Bytes of a header name or value, sharing the storage in which they arrived.
typealias Octets = ArraySlice<UInt8>

extension ArraySlice where Element == UInt8 {
    /// Whether these bytes equal the given ASCII text.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return true }
            return memcmp(base, text.utf8Start, bytes.count) == 0
        }
    }

    /// Whether these bytes equal others: `==` compares one at a time.
    func equals(_ other: Octets) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { bytes in
            other.withUnsafeBufferPointer { others in
                guard let base = bytes.baseAddress, let other = others.baseAddress else { return true }
                return memcmp(base, other, bytes.count) == 0
            }
        }
    }

    /// Whether these bytes begin with the given ASCII text.
    func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && prefix(text.utf8CodeUnitCount).equals(text)
    }

    /// Whether these bytes end with the given ASCII text.
    func ends(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && suffix(text.utf8CodeUnitCount).equals(text)
    }

    /// The bytes as text. Invalid UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }
}
