import PushTerminal

/// The header fields of a request, as lines `name: value`, in JSON.
///
/// A line of the log is made for every push, so this works on bytes: with strings and a dictionary, a simulator at full
/// speed lost lines.
package struct HeaderFields {
    private let lines: [UInt8]
    private var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

    package init(_ lines: [UInt8]) {
        self.lines = lines
        fields.reserveCapacity(16)
        var start = 0
        while start < lines.count, let end = lines[start...].firstIndex(of: ASCII.lineFeed) {
            // A pseudo-header field begins with a colon.
            if let colon = lines[start..<end].dropFirst().firstIndex(of: ASCII.colon) {
                fields.append((lines[start..<colon], lines[min(colon + 2, end)..<end]))
            }
            start = end + 1
        }
    }

    /// Each field, as text. Invalid UTF-8 is replaced.
    package var list: [(name: String, value: String)] {
        fields.map { (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)) }
    }

    /// An object. The values of a repeated name are joined, as RFC 9110 allows.
    package var json: [UInt8] {
        var bytes: [UInt8] = [ASCII.openBrace]
        bytes.reserveCapacity(lines.count + 8 * fields.count)
        for (index, field) in fields.enumerated() where !fields[..<index].contains(where: { $0.name == field.name }) {
            if bytes.count > 1 { bytes.append(ASCII.comma) }
            Self.append(field.name, to: &bytes)
            bytes.append(ASCII.colon)
            var value = field.value
            for other in fields[(index + 1)...] where other.name == field.name {
                value = value + ", ".utf8 + other.value
            }
            Self.append(value, to: &bytes)
        }
        bytes.append(ASCII.closeBrace)
        return bytes
    }

    private static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        guard text.allSatisfy(ASCII.isPlain) else {
            bytes += JSONLine.string(String(decoding: text, as: UTF8.self))
            return
        }
        bytes.append(ASCII.quote)
        bytes += text
        bytes.append(ASCII.quote)
    }
}

extension ASCII {
    /// Whether a byte is the same in a string of JSON, and harmless on a terminal.
    package static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != quote && byte != backslash
    }
}

extension JSONLine {
    /// A string of JSON.
    package static func string(_ text: String) -> ArraySlice<UInt8> {
        var object = JSONLine()
        object.add("", text)
        return object.line.dropFirst(#"{"":"#.utf8.count).dropLast("}\n".utf8.count)
    }
}
