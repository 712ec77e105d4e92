/// An answer that begins but does not end.
public struct HalfAnswer: Sendable, Hashable {
    /// How much of the answer is written.
    @nonexhaustive public enum Extent: Sendable, Hashable, CaseIterable {
        /// HEADERS without END_STREAM.
        case headers
        /// HEADERS and half of the body; one byte for an answer without a body.
        case body
        /// The first twelve bytes of the HEADERS frame. Nothing can follow them, so the connection is mute from then
        /// on.
        case frame
    }

    /// What follows instead of the rest.
    @nonexhaustive public enum Ending: Sendable, Hashable {
        /// Nothing, ever.
        case nothing
        /// RST_STREAM with this code; nothing after a part of a frame.
        case reset(code: UInt32)
        /// The connection ends.
        case cut(Fault.Cut)
    }

    /// How much of the answer is written.
    public var extent: Extent
    /// What follows instead of the rest.
    public var ending: Ending

    /// Creates a half answer. By default HEADERS without END_STREAM, and nothing more.
    public init(_ extent: Extent = .headers, then ending: Ending = .nothing) {
        self.extent = extent
        self.ending = ending
    }
}

/// A frame on a stream whose answer is complete.
@nonexhaustive public enum LateFrame: Sendable, Hashable {
    /// A second answer: HEADERS with `:status` 200 and END_STREAM.
    case answer
    /// DATA.
    case data
    /// WINDOW_UPDATE, which RFC 9113 allows for a short time (section 5.1).
    case windowUpdate
    /// RST_STREAM with this code.
    case reset(code: UInt32)
}

/// What is wrong with an answer.
@nonexhaustive public enum Malformation: Sendable, Hashable {
    /// `:status` is missing, although RFC 9113, section 8.3.2, requires it.
    case noStatus
    /// `:status` is this text, which need not be a valid status. The body stays the same.
    case status(String)
    /// A field name in upper case (RFC 9113, section 8.2.1).
    case upperCaseName
    /// `content-length` is larger than the body (RFC 9113, section 8.1.1).
    case contentLength
    /// The body is this text instead of APNs' JSON.
    case body(String)
    /// The header block is invalid: it has an index beyond HPACK's tables (RFC 7541, section 6.1), which ends the
    /// connection.
    case headerBlock
    /// DATA comes before HEADERS.
    case dataBeforeHeaders
}
