/// Any JSON value: your own values in a payload, or the body of an answer.
///
/// Literals work: `["order": 4711, "urgent": true, "tags": ["a", "b"]]`.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction or exponent that fits into `Int`.
    case integer(Int)
    /// Any other number. Only finite numbers can be written.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object. Its members are written in the order of their names.
    case object([String: JSONValue])

    /// The member of an object; nil if it does not exist, or if this is not an object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The string; nil if this is not one.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number as an integer; nil if it is not one. A number such as `1.0` counts as an integer.
    public var integerValue: Int? {
        switch self {
        case .integer(let number): number
        case .double(let number): Int64(truncating: number).flatMap { Double($0) == number ? Int(exactly: $0) : nil }
        default: nil
        }
    }

    /// The number; nil if this is not one.
    var numberValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Parses one JSON value. Nil for anything else, for more than 128 levels, and for numbers beyond `Double`.
    package init?(parsing bytes: [UInt8]) {
        let value = bytes.withUnsafeBufferPointer { buffer -> JSONValue? in
            var scanner = JSONScanner(buffer)
            guard let value = try? scanner.value(), scanner.isAtEnd else { return nil }
            return value
        }
        guard let value else { return nil }
        self = value
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null` from `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If a name occurs twice, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension Int64 {
    /// Rounds towards zero; nil out of range. Unlike the standard library's initializer, it does not require `libm`.
    init?(truncating number: Double) {
        guard number > -0x1p63, number < 0x1p63 else { return nil }
        self = Int64(number)
    }
}

extension JSONValue: Codable {
    /// Encodes the value that it represents.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let truth): try container.encode(truth)
        case .integer(let number): try container.encode(number)
        case .double(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }

    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let truth = try? container.decode(Bool.self) {
            self = .bool(truth)
        } else if let number = try? container.decode(Int.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Whether all numbers in it are finite, as JSON requires.
    var isFinite: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .array(let elements): elements.allSatisfy(\.isFinite)
        case .object(let members): members.values.allSatisfy(\.isFinite)
        case .null, .bool, .integer, .string: true
        }
    }
}
