import PushTerminal
import SupervisedPush

/// A text with placeholders, such as `Hello {{name}}`, which the values of a record fill. `\{{` stands for two braces
/// that are meant.
///
/// The text is split once; filling it joins pieces.
struct Template: Sendable, Equatable {
    /// Why a record can't fill it.
    enum Unfilled: Error, Equatable {
        case missing(String)
        /// The placeholder is outside of quotes, where only these values are JSON.
        case noScalar(String)
        case tooLong
    }

    /// How a value is written.
    enum Form: Sendable, Equatable {
        /// As it is, in a text that is no JSON.
        case plain
        /// Inside the quotes of a JSON string.
        case inString
        /// In place of a JSON value: a number, true, false or null.
        case scalar
    }

    enum Part: Sendable, Equatable {
        case text([UInt8])
        /// A value, by the number of its name.
        case value(Int, Form)
    }

    let parts: [Part]
    /// All names, also those of other templates that are filled from the same records.
    let names: [String]
    /// Long enough for usual values.
    private let usualSize: Int

    init(_ parts: [Part], names: [String]) {
        self.parts = parts
        self.names = names
        usualSize = parts.reduce(0) { size, part in
            if case .text(let text) = part { size + text.count } else { size + 32 }
        }
    }

    var hasPlaceholders: Bool { parts.contains { if case .value = $0 { true } else { false } } }

    /// The text with these values, in the order of the names. A record lacks those that are nil.
    func filled(_ values: [[UInt8]?]) throws(Unfilled) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(usualSize)
        for part in parts {
            switch part {
            case .text(let text): bytes.append(contentsOf: text)
            case .value(let index, let form):
                guard index < values.count, let value = values[index] else { throw .missing(names[index]) }
                guard append(value, form, to: &bytes) else { throw .noScalar(names[index]) }
                // A long value may be there a thousand times.
                guard bytes.count <= RecordReaders.longestRecord else { throw .tooLong }
            }
        }
        return bytes
    }

    private func append(_ value: [UInt8], _ form: Form, to bytes: inout [UInt8]) -> Bool {
        switch form {
        case .plain: bytes.append(contentsOf: value)
        case .inString: JSONText.append(value, to: &bytes)
        case .scalar:
            guard JSONText.isScalar(value) else { return false }
            bytes.append(contentsOf: value)
        }
        return true
    }
}

extension Template.Unfilled {
    /// What is wrong with the record; shows names, no values.
    var sentence: String {
        switch self {
        case .missing(let name): "there is no text or number for {{\(name)}}"
        case .noScalar(let name): "\(name) is not a number, true, false or null, but {{\(name)}} is outside of quotes"
        case .tooLong: "with its values the payload is longer than \(RecordReaders.longestRecord) bytes"
        }
    }
}

/// Finds the placeholders of a text.
struct TemplateParser {
    struct Malformed: Error, Equatable {
        /// What is wrong and where, as the end of a sentence.
        let sentence: String
    }

    private static let longestName = 256

    private let bytes: [UInt8]
    private let isJSON: Bool
    private var index = 0
    private var text: [UInt8] = []
    private var parts: [Template.Part] = []
    private var names: [String]
    /// The bytes with a number in place of each placeholder outside of quotes: JSON, if the whole is right.
    private var shape: [UInt8]

    private init(_ bytes: [UInt8], isJSON: Bool, _ names: [String]) {
        self.bytes = bytes
        self.isJSON = isJSON
        self.names = names
        shape = bytes
    }

    /// The template of JSON, and its shape: JSON of the same length, with placeholders in strings only.
    ///
    /// - Parameter names: Names that are known already; those that are new follow them.
    static func json(_ bytes: [UInt8], _ names: [String]) throws(Malformed) -> (template: Template, shape: [UInt8]) {
        var parser = TemplateParser(bytes, isJSON: true, names)
        let template = try parser.parse()
        return (template, parser.shape)
    }

    /// The template of a text that is no JSON.
    static func plain(_ text: String, _ names: [String]) throws(Malformed) -> Template {
        var parser = TemplateParser(Array(text.utf8), isJSON: false, names)
        return try parser.parse()
    }

    private mutating func parse() throws(Malformed) -> Template {
        var inString = false
        /// Where the present string has a placeholder.
        var placeInString: Int?
        while index < bytes.count {
            if isEscape(inString) {
                text.append(contentsOf: [ASCII.openBrace, ASCII.openBrace])
                index += isJSON ? 4 : 3
            } else if isJSON, inString, bytes[index] == ASCII.backslash {
                text.append(contentsOf: bytes[index..<min(index + 2, bytes.count)])
                index += 2
            } else if has(ASCII.openBrace, at: index), has(ASCII.openBrace, at: index + 1) {
                placeInString = index
                try readPlaceholder(isJSON ? inString ? .inString : .scalar : .plain)
            } else {
                if isJSON, bytes[index] == ASCII.quote {
                    if inString { try checkIsNoName(placeInString) }
                    inString.toggle()
                    placeInString = nil
                }
                text.append(bytes[index])
                index += 1
            }
        }
        endText()
        return Template(parts, names: names)
    }

    /// Whether a backslash comes before two braces. In JSON it is written twice.
    private func isEscape(_ inString: Bool) -> Bool {
        guard has(ASCII.backslash, at: index) else { return false }
        let braces = isJSON ? index + 2 : index + 1
        return (!isJSON || inString && has(ASCII.backslash, at: index + 1)) && has(ASCII.openBrace, at: braces)
            && has(ASCII.openBrace, at: braces + 1)
    }

    private func has(_ byte: UInt8, at index: Int) -> Bool { index < bytes.count && bytes[index] == byte }

    private mutating func readPlaceholder(_ form: Template.Form) throws(Malformed) {
        let start = index
        var end = index + 2
        while !has(ASCII.closeBrace, at: end) || !has(ASCII.closeBrace, at: end + 1) {
            guard end < bytes.count, end - start <= Self.longestName, isPartOfName(bytes[end]) else {
                throw malformed("has no name and }} after {{", start)
            }
            end += 1
        }
        let name = String(decoding: bytes[(start + 2)..<end], as: UTF8.self).trimmed
        guard !name.isEmpty else { throw malformed("has no name and }} after {{", start) }
        endText()
        parts.append(.value(number(of: name), form))
        index = end + 2
        if form == .scalar {
            for position in start..<index { shape[position] = ASCII.space }
            shape[start] = UInt8(ascii: "0")
        }
    }

    private func isPartOfName(_ byte: UInt8) -> Bool {
        byte >= ASCII.space && ![ASCII.quote, ASCII.backslash, ASCII.openBrace, ASCII.closeBrace].contains(byte)
    }

    private mutating func number(of name: String) -> Int {
        if let known = names.firstIndex(of: name) { return known }
        names.append(name)
        return names.count - 1
    }

    /// Members keep their names, so that the rules for payloads can be checked once for all records.
    private func checkIsNoName(_ place: Int?) throws(Malformed) {
        guard let place else { return }
        let next = bytes[(index + 1)...].first { !ASCII.isWhiteSpace($0) }
        guard next == ASCII.colon else { return }
        throw malformed("has a placeholder in the name of a member", place, remedy: "only values can have one")
    }

    private mutating func endText() {
        if !text.isEmpty { parts.append(.text(text)) }
        text.removeAll()
    }

    private func malformed(
        _ words: String, _ place: Int, remedy: String = "for braces that are meant, write \\{{, in JSON \\\\{{"
    ) -> Malformed {
        let place = isJSON ? JSONScanner.place(of: place, in: bytes) : "byte \(place + 1)"
        return Malformed(sentence: "\(words) (\(place)); \(remedy)")
    }
}

extension String {
    /// The text without spaces and tabs around it.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let start = firstIndex(where: { !isBlank($0) }), let end = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[start...end])
    }
}
