import FoundationEssentials

/// One JSON value that is already encoded: your own content in a payload.
///
/// Foundation's `JSONEncoder` encodes your types with its default strategies (a `Date` as seconds since 2001, `Data` in
/// base64), so that the app can read them with a plain `JSONDecoder`, as ActivityKit does. A literal whose values have
/// different types is a ``JSONValue``: `["driver": "Anna", "minutes": 4] as JSONValue`. Encoding costs about ten times
/// as much as what ``Payload`` writes itself, so encode content once that many pushes share.
public struct EncodedJSON: Hashable, Sendable {
    /// The JSON, in UTF-8.
    public let bytes: [UInt8]

    /// Encodes a value of any type.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`. It contains the coding path, but nothing of the
    ///   value.
    public init(_ value: some Encodable) throws(InvalidPush) {
        if let encoded = value as? EncodedJSON {
            self = encoded
        } else if let value = value as? JSONValue {
            try self.init(value)
        } else {
            self.init(bytes: try Self.encode(value))
        }
    }

    /// Encodes a value.
    ///
    /// - Throws: `InvalidPush` with the code `.customValueNotFinite` for a number that JSON cannot represent.
    public init(_ value: JSONValue) throws(InvalidPush) {
        guard value.isFinite else { throw InvalidPush(.customValueNotFinite) }
        var writer = JSONWriter(capacity: 64)
        writer.value(value)
        bytes = writer.bytes
    }

    /// Wraps one JSON value that is already encoded in UTF-8, with at most 128 levels.
    ///
    /// - Throws: `InvalidPush` with the code `.payloadNotJSON`.
    public init(json bytes: [UInt8]) throws(InvalidPush) {
        let isValue = bytes.withUnsafeBufferPointer { buffer -> Bool in
            var scanner = JSONScanner(buffer)
            do { try scanner.skipValue() } catch { return false }
            return scanner.isAtEnd
        }
        guard isValue, String(validating: bytes, as: UTF8.self) != nil else { throw InvalidPush(.payloadNotJSON) }
        self.init(bytes: bytes)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether it is null, which counts as missing.
    var isNull: Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            return scanner.isAtNull
        }
    }

    private static func encode(_ value: some Encodable) throws(InvalidPush) -> [UInt8] {
        let encoder = JSONEncoder()
        // Equal values become equal bytes, without wasting any.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch EncodingError.invalidValue(_, let context) {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw InvalidPush(.contentNotEncodable, key: path.isEmpty ? nil : path)
        } catch {
            throw InvalidPush(.contentNotEncodable)
        }
    }

    /// The members of this object, without its braces.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotObject`, also for more than 128 levels, or
    ///   `.customKeyReserved` if a member is named `aps`.
    func members() throws(InvalidPush) -> ArraySlice<UInt8> {
        var isReserved = false
        let isObject = bytes.withUnsafeBufferPointer { buffer -> Bool in
            var scanner = JSONScanner(buffer)
            do {
                try scanner.object { (scanner, name) throws(JSONScanner.Malformed) in
                    if name == "aps" { isReserved = true }
                    try scanner.skipValue(depth: 1)
                }
            } catch { return false }
            return scanner.isAtEnd
        }
        guard isObject, let first = bytes.firstIndex(of: UInt8(ascii: "{")),
            let last = bytes.lastIndex(of: UInt8(ascii: "}"))
        else { throw InvalidPush(.contentNotObject) }
        if isReserved { throw InvalidPush(.customKeyReserved) }
        return bytes[(first + 1)..<last]
    }
}

extension EncodedJSON: Encodable {
    /// Encodes the value for another encoder. As content of a payload its bytes are used directly.
    public func encode(to encoder: any Encoder) throws {
        guard let value = JSONValue(parsing: bytes) else { throw InvalidPush(.contentNotEncodable) }
        try value.encode(to: encoder)
    }
}

extension EncodedJSON: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the size, but no content.
    public var description: String { "EncodedJSON(\(bytes.count) bytes)" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
