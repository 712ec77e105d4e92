/// Bytes with a meaning in CSV and JSON.
enum ASCII {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let minus = UInt8(ascii: "-")
    static let backslash = UInt8(ascii: "\\")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
    /// White space in JSON (RFC 8259, section 2).
    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == lineFeed || byte == carriageReturn
    }
}
