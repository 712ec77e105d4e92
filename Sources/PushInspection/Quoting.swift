import PushTerminal

/// Quotes what a stranger wrote, so that nothing in it runs or leaves its literal.
///
/// A control character could end a bracketed paste or change what a terminal shows, and a bidirectional mark could show
/// a command as another one. So what is quoted is printable.
package enum Quoting {
    /// One word of a shell, for `bash`, `zsh` and `ksh`: `'…'`, or `$'…'` if a character must be escaped.
    ///
    /// In `$'…'` what would end it or recall a command of the history is escaped, too.
    package static func shell(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let isPlain = text.utf8.elementsEqual(bytes) && !text.unicodeScalars.contains(where: \.controlsLines)
        guard !isPlain || bytes.contains(ASCII.apostrophe) else { return "'" + text + "'" }
        var word = "$'"
        for byte in bytes {
            switch byte {
            case 0x20..<0x7F where !special.contains(byte): word.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                // Three octal digits end by themselves.
                let digits = String(byte, radix: 8)
                word += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return word + "'"
    }

    private static let special = Set("'\\!".utf8)

    package static func shell(_ text: String) -> String { shell(Array(text.utf8)) }

    /// A string literal of Swift.
    package static func swift(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\" + String(scalar)
            case _ where scalar.controlsLines:
                literal += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A part of a path: everything that is not unreserved is escaped (RFC 3986, section 2.3).
    package static func path(_ text: String) -> String {
        var path = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                path.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                path += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return path
    }
}
