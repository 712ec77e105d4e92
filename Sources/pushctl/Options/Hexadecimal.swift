import SupervisedPush

/// Hexadecimal text.
enum Hexadecimal {
    /// Whether the text is whole bytes in hexadecimal, of any length: longer tokens exist.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count.isMultiple(of: 2) && text.utf8.allSatisfy(isDigit)
    }

    /// Whether the text has the shape of a UUID (RFC 9562), of any version and case.
    static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(isDigit) }
    }

    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool { Hex.value(of: byte) != nil }
}
