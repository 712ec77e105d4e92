import PushHTTP2

/// One request: the headers APNs knows, and how long the body was. No check reads the body itself.
///
/// Unknown headers are ignored, as APNs ignores them.
struct PushRequest {
    var method: Octets = []
    var path: Octets = []
    var authorization: Octets?
    var topic: Octets?
    var pushType: Octets?
    var messageID: Octets?
    var expiration: Octets?
    var priority: Octets?
    var collapseID: Octets?
    /// A known header occurred twice.
    var hasDuplicate = false
    /// What is kept of the body: nothing, unless the ledger keeps payloads.
    var body: [UInt8] = []
    /// Bytes of the body, counted past what is kept of it.
    var bodyCount = 0
    /// All header fields: none, unless the ledger keeps them or an observer follows.
    var headers = HeaderBlock()

    /// All header fields that are kept as lines `name: value`, without the provider token. Names and values contain no line
    /// feed.
    var headerLines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(headers.bytes.count)
        headers.forEach { name, value in
            lines += name
            lines += ": ".utf8
            lines += name.equals("authorization") ? Octets("…".utf8) : value
            lines.append(0x0A)
        }
        return lines
    }

    /// Stores one header. If a name occurs twice, the first value is kept.
    mutating func add(name: Octets, value: Octets) {
        switch name.count {
        case 5 where name.equals(":path"): path = value
        case 7 where name.equals("apns-id"): Self.keep(value, in: &messageID, &hasDuplicate)
        case 7 where name.equals(":method"): method = value
        case 10 where name.equals("apns-topic"): Self.keep(value, in: &topic, &hasDuplicate)
        case 13 where name.equals("authorization"): Self.keep(value, in: &authorization, &hasDuplicate)
        case 13 where name.equals("apns-priority"): Self.keep(value, in: &priority, &hasDuplicate)
        case 14 where name.equals("apns-push-type"): Self.keep(value, in: &pushType, &hasDuplicate)
        case 15 where name.equals("apns-expiration"): Self.keep(value, in: &expiration, &hasDuplicate)
        case 16 where name.equals("apns-collapse-id"): Self.keep(value, in: &collapseID, &hasDuplicate)
        default: break
        }
    }

    @inline(__always)
    private static func keep(_ value: Octets, in field: inout Octets?, _ hasDuplicate: inout Bool) {
        if field == nil { field = value } else { hasDuplicate = true }
    }

    /// The part of the path after `/3/device/`; nil for any other path.
    var deviceToken: Octets? {
        path.starts(with: "/3/device/") ? path.dropFirst(10) : nil
    }

    /// The provider token; nil if `authorization` is missing, not `bearer`, or empty. The scheme is compared without
    /// case (RFC 9110, section 11.1).
    var bearer: Octets? {
        guard let value = authorization, value.count > 7 else { return nil }
        let scheme = value.prefix(7)
        guard scheme.equals("bearer ") || scheme.equals("Bearer ") || scheme.text.lowercased() == "bearer " else {
            return nil
        }
        let token = value.dropFirst(7).drop { $0 == 0x20 }
        return token.isEmpty ? nil : token
    }

    /// Whether the header has the form of a UUID: 8-4-4-4-12 hex digits in either case, any version.
    static func isMessageID(_ value: Octets) -> Bool {
        guard value.count == 36 else { return false }
        var position = 0
        for byte in value {
            switch position {
            case 8, 13, 18, 23: guard byte == 0x2D else { return false }
            default: guard HexDigits.value(of: byte) != nil else { return false }
            }
            position += 1
        }
        return true
    }
}
