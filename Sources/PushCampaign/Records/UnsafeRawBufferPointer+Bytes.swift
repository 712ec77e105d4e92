import Glibc

/// Searching and comparing with the C library, which takes 32 bytes at a time: a row has hundreds.
extension UnsafeRawBufferPointer {
    /// The position of the first such byte at or after a position; nil if there is none.
    package func position(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count, let base = baseAddress,
            let found = memchr(base + start, Int32(byte), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    package func contains(_ byte: UInt8) -> Bool { position(of: byte) != nil }

    package func count(of byte: UInt8) -> Int {
        var (found, start) = (0, 0)
        while let position = position(of: byte, from: start) {
            found += 1
            start = position + 1
        }
        return found
    }

    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return memcmp(base, otherBase, count) == 0
    }
}

extension String {
    /// The text of the bytes; nil if they are not UTF-8.
    ///
    /// Decoding replaces bytes that are not, so the text then differs from them. Comparing costs a tenth of what
    /// `String(validating:as:)` costs.
    package init?(utf8 bytes: UnsafeRawBufferPointer) {
        self.init(decoding: bytes, as: UTF8.self)
        let isSame = utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
        guard isSame == true else { return nil }
    }
}
