/// What a program needs that takes JSON from a person: the members of an object where they stand, and what is wrong with one.
extension JSONScanner {
    /// A member of an object.
    package struct Member: Equatable, Sendable {
        package let name: String
        /// Where its value stands, as it is written.
        package let value: Range<Int>
    }

    /// The members of an object that is all there is in the bytes, in their order. The bytes must be UTF-8.
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

    /// Why the bytes are no JSON object in UTF-8, as the end of a sentence; nil if they are one.
    package static func problem(inObject bytes: [UInt8]) -> String? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return "is not UTF-8" }
        return bytes.withUnsafeBufferPointer { buffer in
            do throws(Malformed) {
                _ = try members(of: buffer)
                return nil
            } catch {
                return error.sentence
            }
        }
    }

    /// The text that begins the bytes; nil if they begin with no text, or if it holds half a surrogate pair.
    package static func string(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var scanner = JSONScanner(bytes)
        guard let (text, isWhole) = try? scanner.text(), isWhole else { return nil }
        return text
    }
}

extension JSONScanner.Malformed {
    /// What is wrong and where, as the end of a sentence. The place is a byte of the text, from 1.
    package var sentence: String { problem == .noObject ? words : "\(words) (byte \(index + 1))" }

    private var words: String {
        switch problem {
        case .noObject: "is not a JSON object"
        case .noValue: "is not valid JSON"
        case .noNumber: "holds a number that is none"
        case .noName: "lacks a name in quotes"
        case .noColon: "lacks a colon after a name"
        case .noEndOfObject: "lacks a comma or a closing brace"
        case .noEndOfArray: "lacks a comma or a closing bracket"
        case .textAfterEnd: "has text after its end"
        case .tooDeep: "is nested deeper than \(Payload.maxDepth) levels"
        case .controlCharacter: "holds a control character in a string; write it as \\u00…"
        case .openString: "ends inside a string"
        case .unknownEscape: "holds an unknown escape in a string"
        case .brokenEscape: "holds a broken \\u escape"
        }
    }
}
