/// Checks header fields, so that no value from a caller can break out of its field.
enum HeaderRules {
    /// RFC 9113, section 8.2.1, but stricter: no control character, not empty, no space at either end.
    static func isFieldValue(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20 else { return false }
        return text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    /// A lower-case token: RFC 9110, section 5.6.2; RFC 9113, section 8.2.
    static func isFieldName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: tokenMarks.contains($0)
                }
            }
    }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Whether the character is visible ASCII.
    static func isVisible(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x20 && scalar.value < 0x7f }

    /// Visible ASCII, at least one character: topics, push types, provider tokens.
    static func isVisibleASCII(_ text: String) -> Bool {
        !text.isEmpty && text.withContiguousUTF8 { $0.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
    }
}
