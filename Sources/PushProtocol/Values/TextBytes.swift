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
}

/// Writes decimal digits without an intermediate string.
@usableFromInline
enum Decimal {
    /// The length of the longest `Int64`: a sign and 19 digits.
    @usableFromInline static let maxLength = 20

    /// Writes a number at the end of `buffer`, which has at least `maxLength` bytes, and returns the written part.
    @usableFromInline
    static func write(_ number: Int64, into buffer: UnsafeMutableBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var position = buffer.count
        var rest = number.magnitude
        repeat {
            position -= 1
            buffer[position] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            position -= 1
            buffer[position] = UInt8(ascii: "-")
        }
        return UnsafeBufferPointer(rebasing: buffer[position...])
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
