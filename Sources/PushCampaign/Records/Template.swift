import PushTerminal

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
