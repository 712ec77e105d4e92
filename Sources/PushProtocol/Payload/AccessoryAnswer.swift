import FoundationEssentials

/// What an `accessory` push carries: from Apple's page "Responding to forwarded notifications".
struct AccessoryAnswer {
    let encryptedData: [UInt8]
    let sessionIdentifier: String
    let keyID: [UInt8]
    let messageIndex: UInt64

    var payload: Payload {
        var writer = JSONWriter(capacity: 192 + encryptedData.count * 4 / 3)
        writer.beginObject()
        writer.name("aps")
        writer.beginObject()
        writer.member("encryptedData", Data(encryptedData).base64EncodedString())
        writer.member("sessionIdentifier", sessionIdentifier)
        writer.member("keyID", Data(keyID).base64EncodedString())
        writer.member("messageIndex", "\(messageIndex)")
        writer.endObject()
        writer.endObject()
        let bytes = writer.bytes
        return Payload(written: bytes, facts: PayloadFacts(of: bytes) ?? .known)
    }

    /// The fact that a key of `aps` is there and well-formed; nil for a key that such a push does not have.
    static func fact(of key: String) -> PayloadFacts? {
        switch key {
        case "encryptedData": .encryptedData
        case "sessionIdentifier": .sessionIdentifier
        case "keyID": .keyID
        case "messageIndex": .messageIndex
        default: nil
        }
    }

    /// Whether a value is of the sort that the fact states.
    static func isWellFormed(_ value: JSONValue, for fact: PayloadFacts) -> Bool {
        guard let text = value.stringValue else { return false }
        return switch fact {
        case .messageIndex: UInt64(text) != nil
        case .sessionIdentifier: !text.isEmpty
        default: Data(base64Encoded: text)?.isEmpty == false
        }
    }

    /// The first key that is missing or malformed in an `aps` of these facts.
    static func missing(in facts: PayloadFacts) -> String? {
        ["encryptedData", "sessionIdentifier", "keyID", "messageIndex"].first {
            fact(of: $0).map(facts.contains) == false
        }
    }
}
