/// Any JSON value: what stands beside `aps` in a payload, and what the body of an answer holds.
///
/// Literals work: `["order": 4711, "urgent": true, "tags": ["a", "b"]]`.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction or exponent that fits `Int`.
    case integer(Int)
    /// Any other number. It must be finite to be written.
    case double(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// An object. Its members are written in the order of their names.
    case object([String: JSONValue])

    /// The member of an object; nil if there is none, or if this is no object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text, if this is one.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number as an integer, if this is one: also a fraction without digits behind the point, as `1.0`.
    public var integerValue: Int? {
        switch self {
        case .integer(let number): number
        case .double(let number): Int64(truncating: number).flatMap { Double($0) == number ? Int(exactly: $0) : nil }
        default: nil
        }
    }

    /// The number, if this is one.
    var numberValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Reads one JSON value; nil for anything else, for more than 128 levels, and for numbers beyond `Double`.
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
    /// Takes `nil` as `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Takes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Takes an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Takes a number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Takes a text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Takes a list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Takes an object. Of a name given twice the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension Int64 {
    /// The integer towards zero; nil beyond the range. Unlike the standard library's way it needs no `libm` to be linked.
    init?(truncating number: Double) {
        guard number > -0x1p63, number < 0x1p63 else { return nil }
        self = Int64(number)
    }
}
