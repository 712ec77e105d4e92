/// What may stand in a header field, so that no value given by a caller can break out of its field.
enum HeaderRules {
    /// RFC 9113 section 8.2.1, and stricter: no control character at all, not empty, no space at either end.
    static func isFieldValue(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20 else { return false }
        return text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    /// Visible ASCII, at least one character: topics, push types, provider tokens.
    static func isVisibleASCII(_ text: String) -> Bool {
        !text.isEmpty && text.withContiguousUTF8 { $0.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
    }
}
