/// Reads JSON (RFC 8259) from untrusted bytes: strict grammar, at most `Payload.maxDepth` levels, and no allocation to
/// skip a value.
package struct JSONScanner {
    /// The bytes are not JSON, or nested too deeply.
    package struct Malformed: Error, Equatable {
        package enum Problem: Sendable {
            case noObject, noValue, noNumber, noName, noColon, noEndOfObject, noEndOfArray, textAfterEnd, tooDeep
            case controlCharacter, openString, unknownEscape, brokenEscape
        }

        package let problem: Problem
        /// The byte index of the problem.
        package let index: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Whether only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipWhitespace()
            return index == bytes.count
        }
    }

    /// The index of the next byte.
    var position: Int { index }

    /// The first byte of the next token; nil at the end.
    mutating func peek() -> UInt8? {
        skipWhitespace()
        return index < bytes.count ? bytes[index] : nil
    }

    /// Whether the next value is null.
    var isAtNull: Bool {
        mutating get { peek() == UInt8(ascii: "n") }
    }

    // MARK: Values

    /// Reads any value.
    mutating func value(depth: Int = 0) throws(Malformed) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "{"):
            var members: [String: JSONValue] = [:]
            try object(depth: depth) { (scanner, name) throws(Malformed) in
                members[name] = try scanner.value(depth: depth + 1)
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            try array(depth: depth) { (scanner) throws(Malformed) in
                elements.append(try scanner.value(depth: depth + 1))
            }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", as: .bool(true))
        case UInt8(ascii: "f"): return try literal("false", as: .bool(false))
        case UInt8(ascii: "n"): return try literal("null", as: .null)
        default: return try numberValue()
        }
    }

    /// Validates and skips any value.
    mutating func skipValue(depth: Int = 0) throws(Malformed) {
        switch peek() {
        case UInt8(ascii: "{"):
            try object(depth: depth, named: false) { (scanner, _) throws(Malformed) in
                try scanner.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try array(depth: depth) { (scanner) throws(Malformed) in try scanner.skipValue(depth: depth + 1) }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): _ = try literal("true", as: .null)
        case UInt8(ascii: "f"): _ = try literal("false", as: .null)
        case UInt8(ascii: "n"): _ = try literal("null", as: .null)
        default: try skipNumber()
        }
    }

    /// Reads an object. `member` must read or skip each member's value. Unless `named`, it receives "" for every name.
    mutating func object(
        depth: Int = 0, named: Bool = true, member: (inout JSONScanner, String) throws(Malformed) -> Void
    ) throws(Malformed) {
        try sequence(from: UInt8(ascii: "{"), to: UInt8(ascii: "}"), depth: depth) { (scanner) throws(Malformed) in
            guard scanner.peek() == UInt8(ascii: "\"") else { throw scanner.malformed(.noName) }
            var name = ""
            if named { name = try scanner.string() } else { try scanner.skipString() }
            try scanner.expect(UInt8(ascii: ":"), or: .noColon)
            try member(&scanner, name)
        }
    }

    private mutating func array(
        depth: Int, element: (inout JSONScanner) throws(Malformed) -> Void
    ) throws(Malformed) {
        try sequence(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), depth: depth, item: element)
    }

    private mutating func sequence(
        from opening: UInt8, to closing: UInt8, depth: Int, item: (inout JSONScanner) throws(Malformed) -> Void
    ) throws(Malformed) {
        guard depth < Payload.maxDepth else { throw malformed(.tooDeep) }
        let isObject = opening == UInt8(ascii: "{")
        try expect(opening, or: isObject ? .noObject : .noValue)
        if peek() == closing {
            index += 1
            return
        }
        while true {
            try item(&self)
            if peek() == closing {
                index += 1
                return
            }
            try expect(UInt8(ascii: ","), or: isObject ? .noEndOfObject : .noEndOfArray)
        }
    }

    // MARK: Texts

    /// Reads a string. Unpaired surrogates and invalid UTF-8 become U+FFFD.
    mutating func string() throws(Malformed) -> String { try text().text }

    /// Reads a string like `string`, and returns whether all surrogates are paired.
    mutating func text() throws(Malformed) -> (text: String, isWhole: Bool) {
        skipWhitespace()
        let start = index
        let escaped = try skipString()
        let content = UnsafeBufferPointer(rebasing: bytes[(start + 1)..<(index - 1)])
        return escaped ? Self.unescape(content) : (String(decoding: content, as: UTF8.self), true)
    }

    /// Validates and skips a string. Returns its position, including the quotation marks.
    mutating func textSpan() throws(Malformed) -> Range<Int> {
        skipWhitespace()
        let start = index
        try skipString()
        return start..<index
    }

    /// Validates and skips a string. Returns whether it contains escapes.
    @discardableResult
    mutating func skipString() throws(Malformed) -> Bool {
        try expect(UInt8(ascii: "\""), or: .noValue)
        var escaped = false
        EscapeSearch.skipPlain(bytes, from: &index)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return escaped
            case UInt8(ascii: "\\"):
                escaped = true
                try skipEscape()
                EscapeSearch.skipPlain(bytes, from: &index)
            case 0..<0x20:
                index -= 1
                throw malformed(.controlCharacter)
            default: break
            }
        }
        throw malformed(.openString)
    }

    private mutating func skipEscape() throws(Malformed) {
        guard index < bytes.count else { throw malformed(.openString) }
        let kind = bytes[index]
        index += 1
        if kind == UInt8(ascii: "u") {
            for _ in 0..<4 where !skip({ Hex.value(of: $0) != nil }) { throw malformed(.brokenEscape) }
        } else if !"\"\\/bfnrt".utf8.contains(kind) {
            index -= 1
            throw malformed(.unknownEscape)
        }
    }

    /// Resolves the escapes of a string that `skipString` accepted.
    private static func unescape(_ content: UnsafeBufferPointer<UInt8>) -> (text: String, isWhole: Bool) {
        var isWhole = true
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var pending: [UInt16] = []
        func endSurrogates() {
            // `String(decoding:)` combines pairs and replaces unpaired surrogates.
            if String(validating: pending, as: UTF16.self) == nil { isWhole = false }
            units.append(contentsOf: String(decoding: pending, as: UTF16.self).utf8)
            pending.removeAll()
        }
        var index = 0
        while index < content.count {
            guard content[index] == UInt8(ascii: "\\") else {
                if !pending.isEmpty { endSurrogates() }
                units.append(content[index])
                index += 1
                continue
            }
            let kind = content[index + 1]
            index += 2
            if kind == UInt8(ascii: "u") {
                pending.append(
                    content[index..<(index + 4)].reduce(UInt16(0)) { $0 << 4 | UInt16(Hex.value(of: $1) ?? 0) })
                index += 4
                continue
            }
            if !pending.isEmpty { endSurrogates() }
            switch kind {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0c)
            case UInt8(ascii: "n"): units.append(0x0a)
            case UInt8(ascii: "r"): units.append(0x0d)
            case UInt8(ascii: "t"): units.append(0x09)
            default: units.append(kind)
            }
        }
        if !pending.isEmpty { endSurrogates() }
        return (String(decoding: units, as: UTF8.self), isWhole)
    }

    // MARK: Numbers, literals, signs

    private mutating func numberValue() throws(Malformed) -> JSONValue {
        skipWhitespace()
        let start = index
        try skipNumber()
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
        if let integer = Int(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw malformed(.noNumber) }
        return .double(double)
    }

    /// Validates and skips a number: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
    private mutating func skipNumber() throws(Malformed) {
        guard let first = peek(), first == UInt8(ascii: "-") || Self.isDigit(first) else { throw malformed(.noValue) }
        skip { $0 == UInt8(ascii: "-") }
        if !skip({ $0 == UInt8(ascii: "0") }) { try digits() }
        if skip({ $0 == UInt8(ascii: ".") }) { try digits() }
        if skip({ $0 | 0x20 == UInt8(ascii: "e") }) {
            skip { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            try digits()
        }
    }

    private mutating func digits() throws(Malformed) {
        let start = index
        while skip(Self.isDigit) {}
        if index == start { throw malformed(.noNumber) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private mutating func literal(_ word: StaticString, as value: JSONValue) throws(Malformed) -> JSONValue {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for byte in expected where !skip({ $0 == byte }) { throw malformed(.noValue) }
        return value
    }

    private mutating func expect(_ sign: UInt8, or problem: Malformed.Problem) throws(Malformed) {
        guard peek() == sign else { throw malformed(problem) }
        index += 1
    }

    private func malformed(_ problem: Malformed.Problem) -> Malformed { Malformed(problem: problem, index: index) }

    /// Throws unless only white space is left.
    mutating func end() throws(Malformed) {
        guard isAtEnd else { throw malformed(.textAfterEnd) }
    }

    /// Skips one byte if `wanted` accepts it.
    @discardableResult
    private mutating func skip(_ wanted: (UInt8) -> Bool) -> Bool {
        guard index < bytes.count, wanted(bytes[index]) else { return false }
        index += 1
        return true
    }

    private mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0a, 0x0d: index += 1
            default: return
            }
        }
    }
}
