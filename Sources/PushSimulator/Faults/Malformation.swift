/// What is wrong with an answer.
public enum Malformation: Sendable, Hashable {
    /// There is no `:status` (RFC 9113, section 8.3.2 requires one).
    case noStatus
    /// `:status` is this text, which may be no status at all. The body stays the same.
    case status(String)
    /// A field name in upper case (RFC 9113, section 8.2.1).
    case upperCaseName
    /// `content-length` says more than comes (RFC 9113, section 8.1.1).
    case contentLength
    /// The body is this text instead of APNs' JSON.
    case body(String)
    /// The header block cannot be decoded: an index that HPACK's tables do not have (RFC 7541, section 6.1), which ends the connection.
    case headerBlock
    /// DATA comes before HEADERS.
    case dataBeforeHeaders
}
