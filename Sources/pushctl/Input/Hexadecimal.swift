/// Shapes of hexadecimal text a person types.
package enum Hexadecimal {
    /// Whether the text is whole bytes in hexadecimal. No length is taken for granted: longer tokens are real.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count.isMultiple(of: 2) && text.utf8.allSatisfy(isDigit)
    }

    /// Whether the text has the shape of a UUID (RFC 9562), of any version and case.
    package static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(isDigit) }
    }

    package static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

    /// The digit's value.
    package static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
