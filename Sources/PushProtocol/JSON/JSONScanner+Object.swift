/// Support for JSON written by people: the positions of an object's members, and a sentence for what is wrong.
extension JSONScanner {
    /// A member of an object.
    package struct Member: Equatable, Sendable {
        package let name: String
        /// Where its value is in the bytes.
        package let value: Range<Int>
    }

    /// The members of an object, in order. The bytes must be UTF-8 and contain nothing else.
    package static func members(of bytes: UnsafeBufferPointer<UInt8>) throws(Malformed) -> [Member] {
        var scanner = JSONScanner(bytes)
        var members: [Member] = []
        try scanner.object { (scanner, name) throws(Malformed) in
            _ = scanner.peek()
            let start = scanner.position
            try scanner.skipValue(depth: 1)
            members.append(Member(name: name, value: start..<scanner.position))
        }
        try scanner.end()
        return members
    }

    /// Why the bytes are not a JSON object in UTF-8, as the end of a sentence; nil if they are one.
    ///
    /// - Parameter namingLines: Whether to say line and column, as of a file, or the byte, as of a part of a line.
    package static func problem(inObject bytes: [UInt8], namingLines: Bool = true) -> String? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return "is not UTF-8" }
        return bytes.withUnsafeBufferPointer { buffer in
            do throws(Malformed) {
                _ = try members(of: buffer)
                return nil
            } catch {
                return error.sentence(in: buffer, namingLines: namingLines)
            }
        }
    }

    /// Where a byte is, as editors count it: `line 3, column 7`. A column is a character.
    package static func place(of index: Int, in bytes: some Collection<UInt8>) -> String {
        var (line, column) = (1, 1)
        for byte in bytes.prefix(index) {
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return "line \(line), column \(column)"
    }

    /// The string at the start of the bytes; nil if there is none, or if it contains an unpaired surrogate.
    package static func string(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var scanner = JSONScanner(bytes)
        guard let (text, isWhole) = try? scanner.text(), isWhole else { return nil }
        return text
    }
}

extension JSONScanner.Malformed {
    /// What is wrong and where, as the end of a sentence.
    ///
    /// - Parameters:
    ///   - bytes: What was read.
    ///   - namingLines: Whether to say line and column, or the number of the byte, counted from 1.
    package func sentence(in bytes: UnsafeBufferPointer<UInt8>, namingLines: Bool) -> String {
        let place = namingLines ? JSONScanner.place(of: index, in: bytes) : "byte \(index + 1)"
        if TypographicQuote.begins(bytes[index...]) {
            return "has a typographic quote where a straight one (\") belongs (\(place))"
        }
        return problem == .noObject ? words : "\(words) (\(place))"
    }

    private var words: String {
        switch problem {
        case .noObject: "is not a JSON object"
        case .noValue: "is not valid JSON"
        case .noNumber: "contains a malformed number"
        case .noName: "lacks a name in quotes"
        case .noColon: "lacks a colon after a name"
        case .noEndOfObject: "lacks a comma or a closing brace"
        case .noEndOfArray: "lacks a comma or a closing bracket"
        case .textAfterEnd: "has text after its end"
        case .tooDeep: "is nested deeper than \(Payload.maxDepth) levels"
        case .controlCharacter: "contains a control character in a string; write it as \\u00…"
        case .openString: "ends inside a string"
        case .unknownEscape: "contains an unknown escape in a string"
        case .brokenEscape: "contains a malformed \\u escape"
        }
    }
}
