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
