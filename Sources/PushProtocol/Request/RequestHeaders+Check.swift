/// Checks the caller's own request header fields.
extension RequestHeaders {
    /// The first rule that they break.
    package var problem: InvalidPush? {
        if fields.isEmpty { return nil }
        if fields.count > Self.maxCount {
            return InvalidPush(.tooManyHeaders, bytes: fields.count, limit: Self.maxCount)
        }
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if bytes > Self.maxBytes { return InvalidPush(.headersTooLarge, bytes: bytes, limit: Self.maxBytes) }
        for field in fields {
            if let code = field.problem { return InvalidPush(code, key: InvalidPush.shown(field.name)) }
        }
        return nil
    }
}

extension RequestHeaders.Field {
    fileprivate var problem: InvalidPush.Code? {
        if name.hasPrefix(":") { return .pseudoHeader }
        guard HeaderRules.isFieldName(name) else { return .invalidHeaderName }
        if Self.ofTheConnection.contains(name) || Self.replacements[name] != nil { return .headerNotPermitted }
        return value.isEmpty || HeaderRules.isFieldValue(value) ? nil : .invalidHeaderValue
    }

    /// RFC 9113, section 8.2.2. `te: trailers` would be permitted, but is useless, because answers have no trailers.
    fileprivate static let ofTheConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// The fields that the library sets, and what to use instead.
    fileprivate static let replacements = [
        "apns-topic": "set topic", "apns-push-type": "set pushType", "apns-priority": "set priority",
        "apns-expiration": "set expiration", "apns-collapse-id": "set collapseID", "apns-id": "set apnsID",
        "authorization": "set authorization", "apns-channel-id": "call broadcast(_:to:)",
        "apns-request-id": "set apnsID of the broadcast", "content-length": "leave it out, the payload has its length",
        "host": "set PushConnection.Configuration.host",
    ]
}

extension InvalidPush {
    /// A field's name as errors show it. Replaces invalid characters and cuts long names, because it may be something
    /// else entirely.
    static func shown(_ name: String) -> String {
        let text = String(name.unicodeScalars.prefix(64).map { HeaderRules.isVisible($0) ? Character($0) : "?" })
        return name.unicodeScalars.count > 64 ? text + "…" : text
    }

    /// What is wrong with one of the caller's own header fields, and what to do; nil for other rules.
    var headerSentence: String? {
        let name = "the header field \"\(key ?? "")\""
        switch code {
        case .tooManyHeaders:
            return
                "the push has \(bytes ?? 0) header fields of its own, but at most \(limit ?? 0) are sent: leave "
                + "some out"
        case .headersTooLarge:
            return
                "the push's own header fields have \(bytes ?? 0) bytes, but at most \(limit ?? 0) are sent: shorten "
                + "them"
        case .pseudoHeader: return "\(name) is a pseudo-header field, which the library sets itself: leave it out"
        case .invalidHeaderName:
            return "\(name) has a name that HTTP/2 does not allow: use lower-case letters, digits and !#$%&'*+-.^_`|~"
        case .invalidHeaderValue:
            return "\(name) has a value that contains a control character, or starts or ends with a space: remove those"
        case .headerNotPermitted:
            guard let replacement = RequestHeaders.Field.replacements[key ?? ""] else {
                return "\(name) belongs to the connection, and HTTP/2 forbids it in a request: leave it out"
            }
            return "\(name) is set by the library: \(replacement)"
        default: return nil
        }
    }
}

/// The rules for the caller's own header fields.
extension InvalidPush.Code {
    /// The caller has more own header fields than can be sent.
    public static let tooManyHeaders = Self(rawValue: "too_many_headers")
    /// The caller's own header fields are too large in total.
    public static let headersTooLarge = Self(rawValue: "headers_too_large")
    /// One of the caller's own header fields is a pseudo-header field.
    public static let pseudoHeader = Self(rawValue: "pseudo_header")
    /// The name of a header field is not a lower-case token.
    public static let invalidHeaderName = Self(rawValue: "invalid_header_name")
    /// The value of a header field contains a control character, or starts or ends with a space.
    public static let invalidHeaderValue = Self(rawValue: "invalid_header_value")
    /// One of the caller's own header fields is one that the library sets, or belongs to the connection.
    public static let headerNotPermitted = Self(rawValue: "header_not_permitted")
}

/// Checks header fields, so that no value from a caller can break out of its field.
enum HeaderRules {
    /// RFC 9113, section 8.2.1, but stricter: no control character, not empty, no space at either end.
    static func isFieldValue(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20 else { return false }
        return text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    /// A lower-case token: RFC 9110, section 5.6.2; RFC 9113, section 8.2.
    static func isFieldName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: tokenMarks.contains($0)
                }
            }
    }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Whether the character is visible ASCII.
    static func isVisible(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x20 && scalar.value < 0x7f }

    /// Visible ASCII, at least one character: topics, push types, provider tokens.
    static func isVisibleASCII(_ text: String) -> Bool {
        !text.isEmpty && text.withContiguousUTF8 { $0.allSatisfy { $0 > 0x20 && $0 < 0x7f } }
    }
}
