import PushProtocol
import PushTerminal

/// Writes CSV into memory that is large enough, without a string for each field.
extension OutputSpan<UInt8> {
    package mutating func append(copying bytes: UnsafeRawBufferPointer) {
        withUnsafeMutableBufferPointer { memory, count in
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[count...])
                .copyMemory(from: bytes)
            count += bytes.count
        }
    }

    package mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(copying: UnsafeRawBufferPointer($0)) }
    }

    package mutating func append(decimal number: some FixedWidthInteger) {
        Decimal.withDigits(of: number) { append(copying: UnsafeRawBufferPointer($0)) }
    }

    /// A field, quoted only if RFC 4180 requires it. A field that a spreadsheet would take for a formula gets an
    /// apostrophe in front: no device token begins that way, so it was an invalid one in the input.
    package mutating func append(csv text: String) {
        var text = text
        text.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            let needsQuotes = Self.needsQuotes(text)
            if needsQuotes { append(ASCII.quote) }
            if let first = text.first, Self.beginsFormula(first) { append(ASCII.apostrophe) }
            guard needsQuotes else { return append(copying: text) }
            for byte in text {
                if byte == ASCII.quote { append(ASCII.quote) }
                append(byte)
            }
            append(ASCII.quote)
        }
    }

    private static func needsQuotes(_ text: UnsafeRawBufferPointer) -> Bool {
        // A comma is the greatest of them. The least byte of a token is found in a tenth of the time.
        text.reduce(.max, min) <= ASCII.comma && containsSpecial(text)
    }

    private static func containsSpecial(_ text: UnsafeRawBufferPointer) -> Bool {
        text.contains(ASCII.comma) || text.contains(ASCII.quote) || text.contains(ASCII.lineFeed)
            || text.contains(ASCII.carriageReturn)
    }

    private static func beginsFormula(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "@"), ASCII.minus, ASCII.tab, ASCII.carriageReturn,
            ASCII.lineFeed:
            true
        default: false
        }
    }
}
