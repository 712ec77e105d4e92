// Each value is encoded as the text or number that APNs knows it by, whatever strategies the encoder has. Decoding
// checks it as its initializer does. An error says what is wrong and repeats nothing of a device token.

extension Decoder {
    /// Decodes one text or number and makes the value from it.
    func value<Raw: Decodable, Value>(_ make: (Raw) throws -> Value) throws -> Value {
        let container = try singleValueContainer()
        let raw = try container.decode(Raw.self)
        do { return try make(raw) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }
}

extension Encoder {
    /// Encodes one text or number.
    func encode(_ raw: some Encodable) throws {
        var container = singleValueContainer()
        try container.encode(raw)
    }
}

/// What is wrong with a decoded text that has no error of its own.
private struct Malformed: Error, CustomStringConvertible {
    let description: String
}

extension DeviceToken: Codable {
    /// Encodes the hexadecimal digits.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(hex) }

    /// Decodes hexadecimal digits.
    public init(from decoder: any Decoder) throws { self = try decoder.value { try DeviceToken($0 as String) } }
}

extension APNSID: Codable {
    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(description) }

    /// Decodes the text form, in either case.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { (text: String) in
            guard let id = APNSID(text) else {
                throw Malformed(description: "an apns-id has 32 hexadecimal digits in the form 8-4-4-4-12")
            }
            return id
        }
    }
}

extension APNSIDPolicy: Codable {
    /// Encodes the id, `generated` or `byServer`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .generated: try encoder.encode("generated")
        case .byServer: try encoder.encode("byServer")
        case .fixed(let id): try encoder.encode(id)
        }
    }

    /// Decodes an id, `generated` or `byServer`.
    public init(from decoder: any Decoder) throws {
        switch try decoder.singleValueContainer().decode(String.self) {
        case "generated": self = .generated
        case "byServer": self = .byServer
        default: self = .fixed(try APNSID(from: decoder))
        }
    }
}

extension CollapseID: Codable {
    /// Encodes the id.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text) }

    /// Decodes an id with up to 512 bytes, the most that ``init(_:maxBytes:)`` accepts.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { try CollapseID($0 as String, maxBytes: .max) }
    }
}

extension ChannelID: Codable {
    /// Encodes the id.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text) }

    /// Decodes an id.
    public init(from decoder: any Decoder) throws { self = try decoder.value { try ChannelID($0 as String) } }
}

extension Expiration: Codable {
    /// Encodes the header's number, seconds since 1970 UTC or 0; `byServer` for no header.
    public func encode(to encoder: any Encoder) throws {
        if let unixSeconds { try encoder.encode(unixSeconds) } else { try encoder.encode("byServer") }
    }

    /// Decodes the header's number or `byServer`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let isByServer = (try? container.decode(String.self)) == "byServer"
        self = isByServer ? .byServer : Expiration(unixSeconds: try container.decode(Int64.self))
    }
}

// Encoded as their raw values, a text or a number.
extension Topic: Codable {}
extension PushType: Codable {}
extension PushPriority: Codable {}
extension RejectionReason: Codable {}
