import SupervisedPush

/// Checks JSON (RFC 8259) and finds the members of its top-level object, without building values.
///
/// Nesting is bounded, so that no input exhausts the stack. The bytes must be UTF-8; whoever calls has checked that.
package struct JSONScanner {
    package struct Member: Equatable {
        package let name: String
        package let value: Range<Int>
    }

    package struct Problem: Error {
        package let sentence: String
    }

    /// The library's bound: what passes here is a payload there.
    package static let deepest = Payload.maxDepth

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The members of an object that is all there is in `bytes`, in their order.
    package static func members(of bytes: UnsafeRawBufferPointer) throws(Problem) -> [Member] {
        var scanner = JSONScanner(bytes)
        scanner.skipBlanks()
        guard scanner.peek == ASCII.openBrace else { throw Problem(sentence: "is not a JSON object") }
        var members: [Member] = []
        try scanner.object(depth: 1) { members.append($0) }
        scanner.skipBlanks()
        guard scanner.position == bytes.count else { throw scanner.problem("has text after its end") }
        return members
    }

    /// Why the bytes are no JSON object in UTF-8, as the end of a sentence; nil if they are one.
    package static func problem(inObject bytes: [UInt8]) -> String? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return "is not UTF-8" }
        return bytes.withUnsafeBytes { buffer in
            do throws(Problem) {
                _ = try members(of: buffer)
                return nil
            } catch {
                return error.sentence
            }
        }
    }

    /// The text of a JSON string; nil if the value is none, or holds half a surrogate pair.
    package static func string(in bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.first == ASCII.quote else { return nil }
        var scanner = JSONScanner(bytes)
        return try? scanner.text()
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Problem) {
        switch peek {
        case ASCII.openBrace: try object(depth: depth + 1) { _ in }
        case ASCII.openBracket: try array(depth: depth + 1)
        case ASCII.quote: try skipString()
        case ASCII.minus: try number()
        case let byte? where ASCII.isDigit(byte): try number()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: throw problem("is not valid JSON")
        }
    }

    private mutating func object(depth: Int, _ found: (Member) -> Void) throws(Problem) {
        try checkDepth(depth)
        position += 1
        skipBlanks()
        if take(ASCII.closeBrace) { return }
        repeat {
            skipBlanks()
            guard peek == ASCII.quote else { throw problem("lacks a name in quotes") }
            let name = position
            try skipString()
            let nameEnd = position
            skipBlanks()
            guard take(ASCII.colon) else { throw problem("lacks a colon after a name") }
            skipBlanks()
            let start = position
            try value(depth: depth)
            // Names below the top level are of no interest.
            if depth == 1 {
                let text = Self.string(in: UnsafeRawBufferPointer(rebasing: bytes[name..<nameEnd]))
                found(Member(name: text ?? "", value: start..<position))
            }
            skipBlanks()
        } while take(ASCII.comma)
        guard take(ASCII.closeBrace) else { throw problem("lacks a comma or a closing brace") }
    }

    private mutating func array(depth: Int) throws(Problem) {
        try checkDepth(depth)
        position += 1
        skipBlanks()
        if take(ASCII.closeBracket) { return }
        repeat {
            skipBlanks()
            try value(depth: depth)
            skipBlanks()
        } while take(ASCII.comma)
        guard take(ASCII.closeBracket) else { throw problem("lacks a comma or a closing bracket") }
    }

    private mutating func number() throws(Problem) {
        _ = take(ASCII.minus)
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(ASCII.point) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(ASCII.minus) }
            try digits()
        }
    }

    private mutating func digits() throws(Problem) {
        guard let first = peek, ASCII.isDigit(first) else { throw problem("holds a number that is none") }
        while let digit = peek, ASCII.isDigit(digit) { position += 1 }
    }

    private mutating func word(_ word: StaticString) throws(Problem) {
        for index in 0..<word.utf8CodeUnitCount where !take(word.utf8Start[index]) {
            throw problem("is not valid JSON")
        }
    }

    // MARK: Strings

    private mutating func skipString() throws(Problem) {
        position += 1
        while let byte = peek {
            position += 1
            switch byte {
            case ASCII.quote: return
            case ASCII.backslash: _ = try escape()
            case 0..<0x20: throw problem("holds a control character in a string; write it as \\u00…")
            default: break
            }
        }
        throw problem("ends inside a string")
    }

    private mutating func text() throws(Problem) -> String {
        position += 1
        var utf8: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case ASCII.quote: return String(decoding: utf8, as: UTF8.self)
            case ASCII.backslash: utf8.append(contentsOf: String(try scalar()).utf8)
            default: utf8.append(byte)
            }
        }
        throw problem("ends inside a string")
    }

    /// An escape, its surrogate pair joined.
    private mutating func scalar() throws(Problem) -> Character {
        let unit = try escape()
        if let scalar = Unicode.Scalar(UInt32(unit)) { return Character(scalar) }
        guard take(ASCII.backslash) else { throw problem("holds half a surrogate pair") }
        let pair = String(decoding: [unit, try escape()], as: UTF16.self)
        guard pair.unicodeScalars.count == 1, let scalar = pair.unicodeScalars.first else {
            throw problem("holds half a surrogate pair")
        }
        return Character(scalar)
    }

    /// What follows a backslash, as a UTF-16 unit.
    private mutating func escape() throws(Problem) -> UInt16 {
        guard let byte = peek else { throw problem("ends inside a string") }
        position += 1
        switch byte {
        case ASCII.quote, ASCII.backslash, UInt8(ascii: "/"): return UInt16(byte)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            var unit: UInt16 = 0
            for _ in 0..<4 {
                guard let digit = peek.flatMap(Hexadecimal.value) else { throw problem("holds a broken \\u escape") }
                unit = unit << 4 | UInt16(digit)
                position += 1
            }
            return unit
        default: throw problem("holds an unknown escape in a string")
        }
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, ASCII.isWhiteSpace(byte) { position += 1 }
    }

    private func checkDepth(_ depth: Int) throws(Problem) {
        guard depth <= Self.deepest else { throw problem("is nested deeper than \(Self.deepest) levels") }
    }

    private func problem(_ sentence: String) -> Problem {
        Problem(sentence: "\(sentence) (byte \(position + 1))")
    }
}
