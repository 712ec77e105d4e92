import PushTerminal
import SupervisedPush

/// A push that is about to be offered: the line of its record, and its id.
struct Intent: Equatable, Sendable {
    var line: Int
    var apnsID: APNSID
}

/// Lines and intents as JSON, so that SQLite's `json_each` can read them: `[2,3]` and `{"2":"9b0c…","3":"51aa…"}`.
///
/// A row of the database for each push costs five times as much as one for each batch.
enum JournalText {
    static func intents(_ intents: some Collection<Intent>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 2 + 64 * intents.count) { text in
            text.append(ASCII.openBrace)
            for (index, intent) in intents.enumerated() {
                if index > 0 { text.append(ASCII.comma) }
                text.append(ASCII.quote)
                text.append(decimal: intent.line)
                text.append(ASCII.quote)
                text.append(ASCII.colon)
                text.append(ASCII.quote)
                intent.apnsID.withUTF8 { text.append(copying: $0) }
                text.append(ASCII.quote)
            }
            text.append(ASCII.closeBrace)
        }
        return bytes
    }

    /// Adds a line to an array. Its last bracket is added at the end.
    static func append(_ line: Int, to bytes: inout [UInt8]) {
        let separator = bytes.isEmpty ? openBracket : ASCII.comma
        bytes.append(addingCapacity: 21) { text in
            text.append(separator)
            text.append(decimal: line)
        }
    }

    /// Passes each line of an array to `body`; false if the text is none.
    static func forEachLine(_ text: UnsafeRawBufferPointer, _ body: (Int) -> Void) -> Bool {
        var scanner = Scanner(text: text)
        guard scanner.skip(openBracket) else { return false }
        repeat {
            guard let line = scanner.number() else { return false }
            body(line)
        } while scanner.skip(ASCII.comma)
        return scanner.skip(closeBracket) && scanner.isAtEnd
    }

    /// Passes the line and the text of the id of each intent to `body`; false if the text holds none.
    static func forEachIntent(
        _ text: UnsafeRawBufferPointer, _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var scanner = Scanner(text: text)
        guard scanner.skip(ASCII.openBrace) else { return false }
        repeat {
            guard scanner.skip(ASCII.quote), let line = scanner.number(), scanner.skip(ASCII.quote),
                scanner.skip(ASCII.colon), scanner.skip(ASCII.quote), let id = scanner.bytes(APNSID.textLength),
                scanner.skip(ASCII.quote)
            else { return false }
            body(line, id)
        } while scanner.skip(ASCII.comma)
        return scanner.skip(ASCII.closeBrace) && scanner.isAtEnd
    }

    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")

    private struct Scanner {
        let text: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard position < text.count, text[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func number() -> Int? {
            var (value, digits) = (0, 0)
            while position < text.count, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 {
                guard digits < 18 else { return nil }
                value = 10 * value + Int(digit)
                (position, digits) = (position + 1, digits + 1)
            }
            return digits > 0 ? value : nil
        }

        mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
            guard text.count - position >= count else { return nil }
            defer { position += count }
            return UnsafeRawBufferPointer(rebasing: text[position..<(position + count)])
        }
    }
}
