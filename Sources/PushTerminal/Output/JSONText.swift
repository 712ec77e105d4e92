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
