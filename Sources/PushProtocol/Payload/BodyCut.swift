/// Cuts the body of an alert so that its payload fits. Cuts between user-perceived characters and counts JSON's
/// escapes.
///
/// It works on encoded JSON, so it handles typed payloads and any others.
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
            // The body contained unnecessary escapes.
            writer.string(body)
        } else {
            guard let cut = prefix(of: body, escapedBytes: room - ellipsis.utf8.count) else { throw tooLarge }
            writer.string(cut + ellipsis)
        }
        return bytes[..<span.lowerBound] + writer.bytes + bytes[span.upperBound...]
    }

    /// The longest prefix of the text, without trailing spaces, whose JSON has at most `room` bytes; nil if it would be
    /// empty.
    private static func prefix(of text: String, escapedBytes room: Int) -> Substring? {
        var end = lastBoundary(in: text, upTo: fittingBytes(of: text, within: room))
        while end > text.startIndex {
            let last = text.index(before: end)
            // Some characters combine with the one that follows, such as an Arabic number sign.
            guard text[last].isWhitespace || (String(text[last]) + ellipsis).count == 1 else { return text[..<end] }
            end = last
        }
        return nil
    }

    /// How many bytes of the text fit.
    private static func fittingBytes(of text: String, within room: Int) -> Int {
        text.withContiguousUTF8 { bytes in
            var rest = room
            for offset in bytes.indices {
                rest -= JSONWriter.escapedBytes(of: bytes[offset])
                if rest < 0 { return offset }
            }
            return bytes.count
        }
    }

    /// The end of the last character that lies within `offset` bytes.
    private static func lastBoundary(in text: String, upTo offset: Int) -> String.Index {
        var end = text.utf8.index(text.startIndex, offsetBy: offset)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        guard end > text.startIndex, end.samePosition(in: text) == nil else { return end }
        // Inside a character, which is then the last one before `end`.
        return text[..<end].index(before: end)
    }

    private static func escapedBytes(of text: some Sequence<UInt8>) -> Int {
        text.reduce(0) { $0 + JSONWriter.escapedBytes(of: $1) }
    }

    /// The position of the body's text, including the quotation marks: `aps.alert.body`, or `aps.alert` if that is a
    /// string. If a name occurs twice, the last one counts, as it does for readers.
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
    /// Calls `found` for each member with this name; `found` must read or skip its value. Skips all others, and
    /// anything that is not an object.
    fileprivate mutating func member(
        _ wanted: String, depth: Int, _ found: (inout JSONScanner) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard peek() == UInt8(ascii: "{") else { return try skipValue(depth: depth) }
        try object(depth: depth) { (scanner, name) throws(Malformed) in
            if name == wanted { try found(&scanner) } else { try scanner.skipValue(depth: depth + 1) }
        }
    }
}
