/// Writes compact JSON (RFC 8259) in one pass, at about a tenth of the cost of a `Codable` encoder.
package struct JSONWriter: ~Copyable {
    private var text: ByteBuffer
    /// Whether the next member or element needs a comma before it.
    private var needsComma = false

    private static var quote: UInt8 { UInt8(ascii: "\"") }

    package init(capacity: Int) {
        text = ByteBuffer(capacity: capacity)
    }

    /// What was written.
    package var bytes: [UInt8] { Array(text.bytes) }

    // MARK: Structure

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Starts a member whose name needs no escapes.
    mutating func name(_ name: StaticString) {
        name.withUTF8Buffer { text.append($0, after: needsComma, between: Self.quote, and: Self.quote) }
        text.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Starts a member with any name.
    mutating func name(_ name: String) {
        string(name)
        text.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    package mutating func member(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        self.name(name)
        integer(Int64(number))
    }

    /// A time, in seconds with three decimals.
    package mutating func member(_ name: StaticString, seconds milliseconds: Int64?) {
        guard let milliseconds else { return }
        self.name(name)
        integer(milliseconds / 1_000)
        text.append(UInt8(ascii: "."))
        for unit in [100, 10, 1] as [Int64] { text.append(UInt8(ascii: "0") + UInt8(abs(milliseconds) / unit % 10)) }
    }

    mutating func member(_ name: StaticString, _ texts: [String]) {
        self.name(name)
        open(UInt8(ascii: "["))
        for text in texts { string(text) }
        close(UInt8(ascii: "]"))
    }

    mutating func member(_ name: StaticString, _ json: EncodedJSON?) {
        guard let json else { return }
        self.name(name)
        needsComma = true
        json.bytes.withUnsafeBufferPointer { text.append($0) }
    }

    /// Adds members that are already encoded.
    mutating func members(_ written: ArraySlice<UInt8>) {
        guard written.contains(where: { $0 > 0x20 }) else { return }
        separate()
        written.withUnsafeBufferPointer { text.append($0) }
    }

    // MARK: Values

    mutating func integer(_ number: Int64) {
        separate()
        Decimal.withDigits(of: number) { text.append($0) }
    }

    /// Writes a string. Escapes quotation marks, backslashes and control characters; writes everything else as UTF-8.
    mutating func string(_ string: String) {
        string.withContiguousUTF8 { string in
            guard !EscapeSearch.isPlain(string) else {
                return text.append(string, after: needsComma, between: Self.quote, and: Self.quote)
            }
            separate()
            text.append(Self.quote)
            appendEscaped(string)
            text.append(Self.quote)
        }
        needsComma = true
    }

    /// Writes any value. A number that is not finite becomes `null`; `Payload` rejects such numbers earlier.
    mutating func value(_ value: JSONValue) {
        switch value {
        case .null: literal("null")
        case .bool(let truth): literal(truth ? "true" : "false")
        case .integer(let number): integer(Int64(number))
        case .double(let number): literal(number.isFinite ? number.description : "null")
        case .string(let text): string(text)
        case .array(let elements):
            open(UInt8(ascii: "["))
            for element in elements { self.value(element) }
            close(UInt8(ascii: "]"))
        case .object(let members):
            beginObject()
            self.members(members)
            endObject()
        }
    }

    /// Writes members in the order of their names, so that equal payloads are equal bytes.
    mutating func members(_ members: [String: JSONValue]) {
        if members.isEmpty { return }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            self.name(name)
            self.value(value)
        }
    }

    // MARK: Bytes

    private mutating func open(_ sign: UInt8) {
        separate()
        text.append(sign)
        needsComma = false
    }

    private mutating func close(_ sign: UInt8) {
        text.append(sign)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { text.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func literal(_ word: String) {
        separate()
        word.withContiguousUTF8 { text.append($0) }
    }

    /// Copies runs without escapes in one piece.
    private mutating func appendEscaped(_ string: UnsafeBufferPointer<UInt8>) {
        var rest = string
        while true {
            let run = EscapeSearch.unescapedCount(rest)
            text.append(UnsafeBufferPointer(rebasing: rest[..<run]))
            guard run < rest.count else { return }
            appendEscape(of: rest[run])
            rest = UnsafeBufferPointer(rebasing: rest[(run + 1)...])
        }
    }

    /// How many bytes a byte of a string becomes.
    static func escapedBytes(of byte: UInt8) -> Int {
        switch byte {
        case 0x22, 0x5c, 0x08, 0x09, 0x0a, 0x0c, 0x0d: 2
        case 0..<0x20: 6
        default: 1
        }
    }

    private mutating func appendEscape(of byte: UInt8) {
        text.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5c: text.append(byte)
        case 0x08: text.append(UInt8(ascii: "b"))
        case 0x09: text.append(UInt8(ascii: "t"))
        case 0x0a: text.append(UInt8(ascii: "n"))
        case 0x0c: text.append(UInt8(ascii: "f"))
        case 0x0d: text.append(UInt8(ascii: "r"))
        default:
            "u00".withContiguousUTF8 { text.append($0) }
            text.append(Hex.digit(byte >> 4))
            text.append(Hex.digit(byte))
        }
    }
}

/// Finds the bytes of a string that JSON escapes: quotation marks, backslashes and control characters.
enum EscapeSearch {
    /// Whether there are none: the usual case. Eight bytes at a time, the last eight perhaps in part again.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= 8 else { return text.allSatisfy { !isEscaped($0) } }
        let bytes = UnsafeRawBufferPointer(text)
        let last = bytes.count - 8
        var position = 0
        while position < last {
            if hasEscape(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) { return false }
            position += 8
        }
        return !hasEscape(bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self))
    }

    /// Moves behind bytes that are not among them, eight at a time. The rest, fewer than eight, is left.
    @inline(__always)
    static func skipPlain(_ text: UnsafeBufferPointer<UInt8>, from index: inout Int) {
        let bytes = UnsafeRawBufferPointer(text)
        while bytes.count - index >= 8, !hasEscape(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
            index += 8
        }
    }

    /// How many bytes precede the first of them.
    static func unescapedCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        text.firstIndex(where: isEscaped) ?? text.count
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5c }

    /// Whether one of the eight bytes is escaped. The highest bit of a byte in a difference is set if the byte is less.
    @inline(__always)
    private static func hasEscape(_ word: UInt64) -> Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        let (quotes, slashes) = (word ^ 0x2222_2222_2222_2222, word ^ 0x5c5c_5c5c_5c5c_5c5c)
        let quote = (quotes &- each) & ~quotes
        let slash = (slashes &- each) & ~slashes
        let control = (word &- 0x2020_2020_2020_2020) & ~word
        return (quote | slash | control) & 0x8080_8080_8080_8080 != 0
    }
}
