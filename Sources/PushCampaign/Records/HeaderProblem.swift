import PushReview
import PushTerminal
import SupervisedPush

/// Why the first line of a file names no column `token`, and what to do about it.
struct HeaderProblem {
    /// A longer line is looked at so far.
    private static let longestLine = 4_096
    private static let delimiters = [";", "\t", "|", ","]

    /// As the end of a sentence.
    let sentence: String

    /// Nil if nothing is known that would help.
    ///
    /// - Parameters:
    ///   - bytes: The input from the first line on.
    ///   - delimiter: What separates columns.
    ///   - name: The input's name.
    init?(_ bytes: UnsafeRawBufferPointer, delimiter: UInt8, name: String) {
        let file = name == "standard input" ? "FILE" : name
        let start = bytes.prefix(Self.longestLine)
        let line = start.prefix { $0 != ASCII.lineFeed }
        let text = String(decoding: line, as: UTF8.self)
        let separator = Self.separator(in: text, besides: delimiter)
        switch line.first {
        case UInt8(ascii: "["):
            sentence = Self.jsonArray(file)
        case ASCII.openBrace:
            sentence = "it looks like NDJSON; add --format ndjson"
        case _ where Self.hasReturnAlone(start):
            sentence =
                "its lines end with a carriage return alone; make line feeds of them: tr '\\r' '\\n' < \(file) > NEW"
        case _ where text.hasPrefix("sep="):
            sentence =
                "its first line is for Excel alone; delete it" + (separator.map { ", and \(Self.advice($0))" } ?? "")
        case _ where separator != nil:
            let separator = separator ?? ";"
            let name = separator == "\t" ? "tabs" : separator
            sentence = "its columns are separated by \(name); \(Self.advice(separator))"
        case _ where text.contains(where: TypographicQuote.isOne):
            sentence = "its names are in typographic quotes; write straight ones (\"), or none"
        default: return nil
        }
    }

    /// What to do with an array of records.
    static func jsonArray(_ file: String) -> String {
        "it is a JSON array, and each record must be an object on a line of its own: "
            + "jq -c '.[]' \(file) | pushctl bulk - --format ndjson …"
    }

    private static func advice(_ separator: String) -> String {
        "add --delimiter \(separator == "\t" ? "tab" : "'\(separator)'")"
    }

    /// Whether a line ends with a carriage return that has no line feed behind it.
    static func hasReturnAlone(_ bytes: some Collection<UInt8>) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { $0 == ASCII.carriageReturn && $1 != ASCII.lineFeed && $1 != $0 }
    }

    /// What would make a column `token` of the line, or what Excel's own line names.
    private static func separator(in line: String, besides delimiter: UInt8) -> String? {
        let others = delimiters.filter { $0.utf8.first != delimiter }
        if line.hasPrefix("sep=") { return others.first { line.dropFirst(4).hasPrefix($0) } }
        return others.first { separator in
            let cells = line.split(separator: separator, omittingEmptySubsequences: false)
            return cells.count > 1 && cells.contains { isToken($0) }
        }
    }

    /// The column that has the device tokens under another name, such as `device_token`.
    static func likelyToken(in names: [String]) -> String? {
        names.first { $0.lowercased().hasSuffix("token") } ?? names.first { NearName.of($0, in: ["token"]) != nil }
    }

    private static func isToken(_ cell: Substring) -> Bool {
        cell.filter { !$0.isWhitespace && $0 != "\"" && !TypographicQuote.isOne($0) }.lowercased() == "token"
    }
}
