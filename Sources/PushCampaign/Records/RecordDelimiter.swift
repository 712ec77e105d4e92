import PushTerminal

/// What separates the columns of a CSV file.
package enum RecordDelimiter {
    /// What may, as the end of a sentence.
    package static let rule = "give one character such as ; or |, or tab; letters, digits and quotes separate nothing"

    /// Understands `;` and `tab`; nil if columns cannot be separated by it.
    package static func byte(_ text: String) -> UInt8? {
        if text == "tab" || text == "\\t" { return ASCII.tab }
        guard text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        return separates(byte) ? byte : nil
    }

    private static func separates(_ byte: UInt8) -> Bool {
        let sign = Unicode.Scalar(byte)
        if byte == ASCII.tab { return true }
        return (0x21...0x7E).contains(byte) && byte != ASCII.quote && !("0"..."9").contains(sign)
            && !("a"..."z").contains(sign) && !("A"..."Z").contains(sign)
    }
}
