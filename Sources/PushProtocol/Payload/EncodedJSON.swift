import FoundationEssentials

/// One JSON value that is already written: your own content of a payload.
///
/// Values of your own types are written by Foundation's `JSONEncoder` with its default strategies – a `Date` as seconds since 2001, `Data` in
/// base64 –, so that the app reads them with a plain `JSONDecoder`, and ActivityKit does. A literal whose values differ in type is a
/// ``JSONValue``: `["driver": "Anna", "minutes": 4] as JSONValue`. It costs about ten times what
/// ``Payload`` writes itself: encode what many pushes share once.
public struct EncodedJSON: Hashable, Sendable {
    /// The JSON, in UTF-8.
    public let bytes: [UInt8]

    /// Encodes a value of any type.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, which names the place and nothing of the value.
    public init(_ value: some Encodable) throws(InvalidPush) {
        if let encoded = value as? EncodedJSON {
            self = encoded
        } else if let value = value as? JSONValue {
            try self.init(value)
        } else {
            self.init(bytes: try Self.encode(value))
        }
    }

    /// Writes a value.
    ///
    /// - Throws: `InvalidPush` with the code `.customValueNotFinite` for a number that JSON cannot hold.
    public init(_ value: JSONValue) throws(InvalidPush) {
        guard value.isFinite else { throw InvalidPush(.customValueNotFinite) }
        var writer = JSONWriter(capacity: 64)
        writer.value(value)
        bytes = writer.bytes
    }

    /// Takes one JSON value that is already written, in UTF-8, nested at most 128 levels deep.
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

    /// Whether it is null, which says as much as nothing.
    var isNull: Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = JSONScanner(buffer)
            return scanner.isAtNull
        }
    }

    private static func encode(_ value: some Encodable) throws(InvalidPush) -> [UInt8] {
        let encoder = JSONEncoder()
        // Equal values are to be equal bytes, and no byte is to be wasted.
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

    /// The members of the object that this is, without its braces.
    ///
    /// - Throws: `InvalidPush` with the code `.contentNotObject`, also for more than 128 levels, or `.customKeyReserved` if one
    ///   is named `aps`.
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
    /// Encodes what it holds, for another encoder; as content of a payload its bytes are taken as they are.
    public func encode(to encoder: any Encoder) throws {
        guard let value = JSONValue(parsing: bytes) else { throw InvalidPush(.contentNotEncodable) }
        try value.encode(to: encoder)
    }
}

extension EncodedJSON: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size, and nothing of the content.
    public var description: String { "EncodedJSON(\(bytes.count) bytes)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
