/// Cuts the body of an alert so that its payload fits: between characters as a reader sees them, with JSON's escapes counted.
///
/// It works on the JSON as it is written, so that it serves typed payloads and those written elsewhere alike.
enum BodyCut {
    private static let ellipsis = "…"

    /// - Throws: `.payloadTooLarge` if there is no body to cut, or if not even its first character would fit.
    static func fit(_ bytes: [UInt8], limit: Int) throws(InvalidPush) -> [UInt8] {
        guard bytes.count > limit else { return bytes }
        let tooLarge = InvalidPush(.payloadTooLarge, bytes: bytes.count, limit: limit, key: "body")
        guard let span = bodySpan(in: bytes), let body = text(of: bytes[span]) else { throw tooLarge }
        // Without its quotation marks.
        let room = max(0, limit) - (bytes.count - span.count) - 2
        var writer = JSONWriter(capacity: limit)
        if body.utf8.count <= room, escapedBytes(of: body.utf8) <= room {
            // It was written with escapes that are not needed.
            writer.string(body)
        } else {
            guard let cut = prefix(of: body, escapedBytes: room - ellipsis.utf8.count) else { throw tooLarge }
            writer.string(cut + ellipsis)
        }
        return bytes[..<span.lowerBound] + writer.bytes + bytes[span.upperBound...]
    }

    /// The longest part of the text, without spaces at its end, whose JSON has at most so many bytes; nil if that is none.
    private static func prefix(of text: String, escapedBytes room: Int) -> Substring? {
        var end = lastBoundary(in: text, upTo: fittingBytes(of: text, room))
        while end > text.startIndex {
            let last = text.index(before: end)
            // Some characters take what follows them into their own: a sign of Arabic numbers, for one.
            guard text[last].isWhitespace || (String(text[last]) + ellipsis).count == 1 else { return text[..<end] }
            end = last
        }
        return nil
    }

    /// How many of the text's bytes have room.
    private static func fittingBytes(of text: String, _ room: Int) -> Int {
        text.withContiguousUTF8 { bytes in
            var rest = room
            for offset in bytes.indices {
                rest -= JSONWriter.escapedBytes(of: bytes[offset])
                if rest < 0 { return offset }
            }
            return bytes.count
        }
    }

    /// Where the last character that lies within so many bytes ends.
    private static func lastBoundary(in text: String, upTo offset: Int) -> String.Index {
        var end = text.utf8.index(text.startIndex, offsetBy: offset)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        guard end > text.startIndex, end.samePosition(in: text) == nil else { return end }
        // Within a character, which is at the end of what lies before.
        return text[..<end].index(before: end)
    }

    private static func escapedBytes(of text: some Sequence<UInt8>) -> Int {
        text.reduce(0) { $0 + JSONWriter.escapedBytes(of: $1) }
    }

    /// Where the text of the body stands, quotation marks included: `aps.alert.body`, or `aps.alert` where that is a text.
    /// Of a name given twice the last one counts, as it does for those who read it.
    private static func bodySpan(in bytes: [UInt8]) -> Range<Int>? {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            var span: Range<Int>?
            try? scanner.member("aps", depth: 0) { (scanner) throws(JSONScanner.Malformed) in
                span = nil
                try scanner.member("alert", depth: 1) { (scanner) throws(JSONScanner.Malformed) in
                    span = nil
                    if scanner.peek() == UInt8(ascii: "\"") { return span = try scanner.textSpan() }
                    try scanner.member("body", depth: 2) { (scanner) throws(JSONScanner.Malformed) in
                        span = nil
                        if scanner.peek() == UInt8(ascii: "\"") { return span = try scanner.textSpan() }
                        try scanner.skipValue(depth: 3)
                    }
                }
            }
            return span
        }
    }

    private static func text(of literal: ArraySlice<UInt8>) -> String? {
        literal.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            return try? scanner.string()
        }
    }
}

extension JSONScanner {
    /// Shows each member of this name to `found`, which has to read or skip its value, and passes over all others; over anything
    /// that is no object as well.
    fileprivate mutating func member(
        _ wanted: String, depth: Int, _ found: (inout JSONScanner) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard peek() == UInt8(ascii: "{") else { return try skipValue(depth: depth) }
        try object(depth: depth) { (scanner, name) throws(Malformed) in
            if name == wanted { try found(&scanner) } else { try scanner.skipValue(depth: depth + 1) }
        }
    }
}
