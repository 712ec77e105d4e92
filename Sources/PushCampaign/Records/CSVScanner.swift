import PushTerminal

/// Finds the end of one CSV record and its fields (RFC 4180, with any delimiter), with the input in pieces.
///
/// A quote inside a field that does not begin with one is text, so unquoted JSON without commas is read as intended.
package struct CSVScanner {
    /// The position of a field's text, without its quotes.
    package struct Field: Equatable {
        package var range: Range<Int>
        /// The field is quoted: spaces around the text belong to it.
        package var isQuoted: Bool
        /// Quotes inside the text are doubled.
        package var hasDoubledQuotes: Bool
    }

    package enum Step: Equatable {
        case needsMore
        /// The length of the record in bytes, including its line end.
        case record(length: Int)
        /// There is text between a closing quote and the next delimiter, or the input ended inside quotes.
        case malformed(String)
    }

    private enum Phase {
        case fieldStart
        case plain
        case quoted
        /// After a quote inside quotes: the end of the field, or half of a doubled one.
        case quoteInQuotes
        /// After a closing quote and a carriage return: only a line feed may follow.
        case returnAfterQuotes
    }

    private let delimiter: UInt8
    private var phase = Phase.fieldStart
    private var position = 0
    private var fieldStart = 0
    private var hasDoubledQuotes = false
    /// The next line feed that was found, so that a row of many fields is searched once.
    private var lineEnd = 0
    /// The complete fields so far.
    package private(set) var fields: [Field] = []

    package init(delimiter: UInt8 = ASCII.comma) { self.delimiter = delimiter }

    /// Begins with the next record. The memory of the fields is used again.
    package mutating func restart() {
        phase = .fieldStart
        position = 0
        fieldStart = 0
        hasDoubledQuotes = false
        lineEnd = 0
        fields.removeAll(keepingCapacity: true)
    }

    var isInQuotes: Bool { phase == .quoted }

    /// Continues after the last call. `bytes` begins with the record and only grows at its end.
    package mutating func scan(_ bytes: UnsafeRawBufferPointer, isAtEnd: Bool) -> Step {
        while position < bytes.count {
            if let step = consume(bytes[position], in: bytes) { return step }
            position += 1
            skipText(bytes)
        }
        return isAtEnd ? finish(bytes) : .needsMore
    }

    /// Goes to the next byte that means something inside a field, without a look at each byte of its text.
    private mutating func skipText(_ bytes: UnsafeRawBufferPointer) {
        switch phase {
        case .plain:
            if lineEnd < position { lineEnd = bytes.position(of: ASCII.lineFeed, from: position) ?? bytes.count }
            position =
                UnsafeRawBufferPointer(rebasing: bytes[..<lineEnd]).position(of: delimiter, from: position)
                ?? lineEnd
        case .quoted: position = bytes.position(of: ASCII.quote, from: position) ?? bytes.count
        case .fieldStart, .quoteInQuotes, .returnAfterQuotes: break
        }
    }

    private mutating func consume(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Step? {
        switch phase {
        case .fieldStart, .plain:
            return takePlain(byte, in: bytes)
        case .quoted:
            if byte == ASCII.quote { phase = .quoteInQuotes }
            return nil
        case .quoteInQuotes:
            switch byte {
            case ASCII.quote:
                hasDoubledQuotes = true
                phase = .quoted
            case delimiter: endQuoted(at: position - 1)
            case ASCII.carriageReturn: phase = .returnAfterQuotes
            case ASCII.lineFeed:
                endQuoted(at: position - 1)
                return .record(length: position + 1)
            default: return .malformed("there is text after a closing quote")
            }
            return nil
        case .returnAfterQuotes:
            guard byte == ASCII.lineFeed else { return .malformed("there is text after a closing quote") }
            endQuoted(at: position - 2)
            return .record(length: position + 1)
        }
    }

    private mutating func takePlain(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Step? {
        switch byte {
        case ASCII.quote where phase == .fieldStart:
            phase = .quoted
            fieldStart = position + 1
        case delimiter:
            endPlain(at: position)
        case ASCII.lineFeed:
            let hasReturn = position > fieldStart && bytes[position - 1] == ASCII.carriageReturn
            endPlain(at: hasReturn ? position - 1 : position)
            return .record(length: position + 1)
        default:
            phase = .plain
        }
        return nil
    }

    private mutating func finish(_ bytes: UnsafeRawBufferPointer) -> Step {
        switch phase {
        case .fieldStart, .plain:
            let hasReturn = position > fieldStart && bytes[position - 1] == ASCII.carriageReturn
            endPlain(at: hasReturn ? position - 1 : position)
        case .quoted: return .malformed("a quote is never closed")
        case .quoteInQuotes: endQuoted(at: position - 1)
        case .returnAfterQuotes: endQuoted(at: position - 2)
        }
        return .record(length: position)
    }

    private mutating func endPlain(at end: Int) {
        fields.append(Field(range: fieldStart..<end, isQuoted: false, hasDoubledQuotes: false))
        beginField()
    }

    private mutating func endQuoted(at end: Int) {
        fields.append(Field(range: fieldStart..<end, isQuoted: true, hasDoubledQuotes: hasDoubledQuotes))
        beginField()
    }

    private mutating func beginField() {
        phase = .fieldStart
        fieldStart = position + 1
        hasDoubledQuotes = false
    }
}

extension CSVScanner.Field {
    /// The field's bytes without quoting; spaces around an unquoted field are removed. Doubled quotes stay.
    package func text(in record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let text = UnsafeRawBufferPointer(rebasing: record[range])
        return isQuoted ? text : Self.trimmed(text)
    }

    /// The same, with each doubled quote as one.
    package func bytes(in record: UnsafeRawBufferPointer) -> [UInt8] {
        hasDoubledQuotes ? Self.unquoted(text(in: record)) : Array(text(in: record))
    }

    private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, text.count)
        while start < end, ASCII.isBlank(text[start]) { start += 1 }
        while end > start, ASCII.isBlank(text[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    private static func unquoted(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            bytes.append(text[index])
            index += text[index] == ASCII.quote ? 2 : 1
        }
        return bytes
    }
}
