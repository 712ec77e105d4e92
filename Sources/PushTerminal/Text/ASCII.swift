/// Bytes with a meaning in CSV and JSON.
package enum ASCII {
    package static let tab = UInt8(ascii: "\t")
    package static let lineFeed = UInt8(ascii: "\n")
    package static let carriageReturn = UInt8(ascii: "\r")
    package static let space = UInt8(ascii: " ")
    package static let quote = UInt8(ascii: "\"")
    package static let apostrophe = UInt8(ascii: "'")
    package static let comma = UInt8(ascii: ",")
    package static let colon = UInt8(ascii: ":")
    package static let minus = UInt8(ascii: "-")
    package static let backslash = UInt8(ascii: "\\")
    package static let openBrace = UInt8(ascii: "{")
    package static let closeBrace = UInt8(ascii: "}")

    package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
    /// White space in JSON (RFC 8259, section 2).
    package static func isWhiteSpace(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == lineFeed || byte == carriageReturn
    }
}
