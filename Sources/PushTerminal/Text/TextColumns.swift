extension StringProtocol {
    /// How many columns of a terminal the text takes.
    package var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension String {
    /// The text in lines of at most `columns` columns, broken between words; those after the first begin with `indent`
    /// blanks, or with two at most where that would leave little room. A word that is longer, such as a path, stays whole.
    package func wrapped(to columns: Int, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent + 20 <= columns ? indent : min(indent, 2))
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.wrap($0, at: columns, margin: margin) }.joined(separator: "\n")
    }

    private static func wrap(_ text: Substring, at most: Int, margin: String) -> String {
        var (lines, line, width, isNew) = ([String](), "", 0, true)
        // An empty word is a further blank, as in a table.
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let length = word.columns
            if !isNew, width + 1 + length > most, !line.allSatisfy({ $0 == " " }) {
                lines.append(line)
                (line, width, isNew) = (margin, margin.count, true)
                if word.isEmpty { continue }
            }
            line += isNew ? "\(word)" : " \(word)"
            width += length + (isNew ? 0 : 1)
            isNew = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// At most this many columns; a mark stands at a cut.
    package func cut(toColumns most: Int, mark: String) -> String {
        guard columns > most else { return self }
        var (text, left) = ("", most - mark.columns)
        for character in self {
            left -= character.columns
            guard left >= 0 else { break }
            text.append(character)
        }
        return text + mark
    }
}

extension Character {
    /// Two for those that East Asian text and emoji show wide.
    fileprivate var columns: Int {
        guard !isASCII, let scalar = unicodeScalars.first else { return 1 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
