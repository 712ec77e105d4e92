import Glibc

/// Bytes of a header name or value, sharing the storage they arrived in.
typealias Octets = ArraySlice<UInt8>

extension ArraySlice where Element == UInt8 {
    /// True where these bytes are exactly the given ASCII text.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return true }
            return memcmp(base, text.utf8Start, bytes.count) == 0
        }
    }

    /// True where these bytes begin with the given ASCII text.
    func starts(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && prefix(text.utf8CodeUnitCount).equals(text)
    }

    /// True where these bytes end with the given ASCII text.
    func ends(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && suffix(text.utf8CodeUnitCount).equals(text)
    }

    /// The bytes as text; what is not UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }
}
