/// What comes on a stream whose answer was complete.
public enum LateFrame: Sendable, Hashable {
    /// A second answer: HEADERS with `:status` 200 and END_STREAM.
    case answer
    /// DATA.
    case data
    /// WINDOW_UPDATE, which RFC 9113 allows for a while (section 5.1).
    case windowUpdate
    /// RST_STREAM with this code.
    case reset(code: UInt32)
}
