/// Hexadecimal digits. Written by hand, because every push needs them.
enum HexDigits {
    /// The lower-case digit for a value below 16.
    @inline(__always)
    static func lowerDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// The upper-case digit for a value below 16.
    @inline(__always)
    static func upperDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

    /// The value of a hex digit in either case, or nil.
    @inline(__always)
    static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Whether `token` has the form of a device token: an even number of hex digits in either case, at least two. The
    /// length is not fixed.
    static func isDeviceToken(_ token: Octets) -> Bool {
        !token.isEmpty && token.count.isMultiple(of: 2) && token.allSatisfy { value(of: $0) != nil }
    }
}
