/// How a text is encoded, by its first bytes. Each file that people write is read by this rule: a byte order mark before
/// UTF-8 is no part of the text, and UTF-16 is named.
package enum TextEncoding {
    /// A text in another encoding than UTF-8.
    package struct Foreign: Error, Equatable {
        /// What is wrong and what to do, as the end of a sentence.
        package let sentence: String
    }

    /// How many bytes are looked at.
    package static let beginning = 4

    private static let markOfUTF8: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The length of a byte order mark before UTF-8; 0 if there is none.
    package static func markLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        bytes.starts(with: markOfUTF8) ? markOfUTF8.count : 0
    }

    /// The command that writes the text as UTF-8; nil if it is not UTF-16.
    ///
    /// - Parameter name: The file's name.
    package static func conversion(_ bytes: UnsafeRawBufferPointer, name: String) -> String? {
        guard let encoding = utf16(bytes) else { return nil }
        return "iconv -f \(encoding) -t UTF-8 \(name == "standard input" ? "FILE" : name)"
    }

    /// The text of a whole file, without a byte order mark.
    package static func text(_ bytes: [UInt8], name: String) throws(Foreign) -> [UInt8] {
        let command = bytes.withUnsafeBytes { conversion($0, name: name) }
        if let command { throw Foreign(sentence: "is UTF-16; convert it to UTF-8: \(command) > NEW") }
        let mark = bytes.withUnsafeBytes { markLength($0) }
        return mark == 0 ? bytes : Array(bytes[mark...])
    }

    /// The name that iconv has for it; nil unless it begins with a mark, or with two ASCII characters of two bytes each.
    private static func utf16(_ bytes: UnsafeRawBufferPointer) -> String? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard bytes.count >= beginning else { return nil }
        return switch bytes.prefix(beginning).map({ $0 == 0 }) {
        case [false, true, false, true]: "UTF-16LE"
        case [true, false, true, false]: "UTF-16BE"
        default: nil
        }
    }
}
