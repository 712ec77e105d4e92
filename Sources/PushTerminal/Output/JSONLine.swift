/// A JSON object on one line, its members in the order they were added. No text in it can control a terminal.
package struct JSONLine {
    private var bytes: [UInt8] = [ASCII.openBrace]

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        begin(name)
        if let value { Self.append(value, to: &bytes) } else { addNull() }
    }

    package mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        begin(name)
        if let value { bytes.append(contentsOf: String(value).utf8) } else { addNull() }
    }

    package mutating func add(_ name: String, _ value: Bool) {
        begin(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Seconds with three decimals. JSON has no infinity, so values that are not finite are `null`.
    package mutating func add(_ name: String, seconds: Double) {
        begin(name)
        guard seconds.isFinite, abs(seconds) < 1e15 else { return addNull() }
        let thousandths = Int64((seconds * 1000).rounded())
        let fraction = String(abs(thousandths % 1000))
        let sign = thousandths < 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        bytes.append(contentsOf: "\(sign)\(abs(thousandths / 1000)).\(zeros)\(fraction)".utf8)
    }

    package mutating func add(_ name: String, _ counts: [(String, Int)]) {
        var object = JSONLine()
        for (name, count) in counts { object.add(name, count) }
        begin(name)
        bytes.append(contentsOf: object.bytes)
        bytes.append(ASCII.closeBrace)
    }

    /// A list of objects.
    package mutating func add(_ name: String, _ objects: [JSONLine]) {
        begin(name)
        bytes.append(contentsOf: "[".utf8)
        for (index, object) in objects.enumerated() {
            if index > 0 { bytes.append(ASCII.comma) }
            bytes.append(contentsOf: object.bytes)
            bytes.append(ASCII.closeBrace)
        }
        bytes.append(contentsOf: "]".utf8)
    }

    /// The finished object with its line feed.
    package func append(to output: inout [UInt8]) {
        JSONText.append(harmless: bytes, to: &output)
        output.append(ASCII.closeBrace)
        output.append(ASCII.lineFeed)
    }

    package var line: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private mutating func begin(_ name: String) {
        if bytes.count > 1 { bytes.append(ASCII.comma) }
        Self.append(name, to: &bytes)
        bytes.append(ASCII.colon)
    }

    private mutating func addNull() { bytes.append(contentsOf: "null".utf8) }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(ASCII.quote)
        JSONText.append(text.utf8, to: &bytes)
        bytes.append(ASCII.quote)
    }
}

extension JSONLine {
    /// The finished object with further members, whose values are JSON on one line, with or without a line feed.
    package func line(ending members: [(name: String, json: [UInt8])]) -> [UInt8] {
        var bytes = Array(line.dropLast("}\n".utf8.count))
        for member in members {
            if bytes.last != ASCII.openBrace { bytes.append(ASCII.comma) }
            bytes += "\"\(member.name)\":".utf8
            JSONText.append(
                harmless: member.json.last == ASCII.lineFeed ? member.json.dropLast() : member.json[...], to: &bytes)
        }
        return bytes + [ASCII.closeBrace, ASCII.lineFeed]
    }
}

/// Writes values into JSON that is otherwise written already.
package enum JSONText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Appends UTF-8 as the content of a string, without the quotes.
    package static func append(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
        // Most texts have nothing to escape.
        guard text.contains(where: needsEscape) else { return bytes.append(contentsOf: text) }
        for byte in text {
            switch byte {
            case ASCII.quote, ASCII.backslash:
                bytes.append(ASCII.backslash)
                bytes.append(byte)
            case _ where needsEscape(byte):
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }

    /// Appends JSON with each character escaped that could control a terminal and is not ASCII: C1 control characters,
    /// bidirectional overrides and all others that `onOneLine` replaces. They occur only in strings, which keep their
    /// value.
    package static func append(harmless json: some Collection<UInt8>, to bytes: inout [UInt8]) {
        guard !json.allSatisfy({ $0 < 0x80 }) else { return bytes.append(contentsOf: json) }
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            guard !scalar.isASCII, scalar.controlsLines else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                bytes.append(contentsOf: "\\u".utf8)
                for shift in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> UInt16(shift)) & 15]) }
            }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash || byte == 0x7F
    }
}
