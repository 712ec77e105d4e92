/// Hexadecimal digits. Written by hand, because every push writes both a device token and an apns-id.
@usableFromInline
package enum Hex {
    /// The value of a digit in either case; nil for any other byte.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit &- 0x30
        case 0x41...0x46: digit &- 0x41 &+ 10
        case 0x61...0x66: digit &- 0x61 &+ 10
        default: nil
        }
    }

    /// The lower-case digit of the low four bits.
    @inlinable
    package static func digit(_ nibble: UInt8) -> UInt8 {
        let nibble = nibble & 0x0f
        return nibble < 10 ? 0x30 &+ nibble : 0x61 &- 10 &+ nibble
    }

    /// The eight lower-case digits of a number, in the order of their bytes in memory.
    ///
    /// All at once: an apns-id, which is written with every push, costs 110 instructions in this way and 720 digit by
    /// digit.
    @inlinable
    package static func digits(_ number: UInt32) -> UInt64 {
        // Each byte of the number becomes two, one for each nibble.
        var digits = UInt64(number.byteSwapped)
        digits = (digits | digits << 16) & 0x0000_ffff_0000_ffff
        digits = (digits | digits << 8) & 0x00ff_00ff_00ff_00ff
        digits = (digits >> 4 | digits << 8) & 0x0f0f_0f0f_0f0f_0f0f
        let letters = ((digits &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return (digits &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).littleEndian
    }

    /// Whether all bytes are digits. Eight at a time: the 64 of a device token cost 230 instructions instead of 600.
    static func areDigits(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var position = 0
        while position + 8 <= bytes.count {
            guard areDigits(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) else { return false }
            position += 8
        }
        return bytes[position...].allSatisfy { value(of: $0) != nil }
    }

    /// Whether eight bytes are digits. In each byte, the highest bit of a sum says that the byte reaches a limit; a byte
    /// that has this bit itself is not ASCII.
    private static func areDigits(_ bytes: UInt64) -> Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        func reach(_ limit: UInt64, in bytes: UInt64) -> UInt64 { bytes &+ each &* (0x80 - limit) }
        let small = bytes | each &* 0x20
        let decimals = reach(0x30, in: bytes) & ~reach(0x3a, in: bytes)
        let letters = reach(0x61, in: small) & ~reach(0x67, in: small)
        return (decimals | letters) & ~bytes & (each &* 0x80) == each &* 0x80
    }
}

/// Decimal digits, without an intermediate string.
@usableFromInline
package enum Decimal {
    /// The length of the longest `Int64`, a sign and 19 digits, and of the longest `UInt64`.
    @usableFromInline static let maxLength = 20

    /// Passes the digits of a number of at most 64 bits, with a minus sign if it is negative, to `body`.
    @inlinable
    package static func withDigits<Result>(
        of number: some FixedWidthInteger, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maxLength) { buffer in
            var position = maxLength
            var rest = UInt64(number.magnitude)
            repeat {
                position -= 1
                buffer[position] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                position -= 1
                buffer[position] = UInt8(ascii: "-")
            }
            return body(UnsafeBufferPointer(rebasing: buffer[position...]))
        }
    }
}

extension String {
    /// Passes the UTF-8 bytes to `body`; without a copy if the string stores them contiguously, as native strings do.
    @inlinable
    func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}

extension [UInt8] {
    /// Whether the bytes are UTF-8. ASCII, the usual case, is found eight bytes at a time, and no string is made.
    var isUTF8: Bool {
        let isASCII = withUnsafeBytes { bytes in
            var position = 0
            while position + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                guard word & 0x8080_8080_8080_8080 == 0 else { return false }
                position += 8
            }
            return bytes[position...].allSatisfy { $0 < 0x80 }
        }
        return isASCII || (try? UTF8Span(validating: span)) != nil
    }
}
