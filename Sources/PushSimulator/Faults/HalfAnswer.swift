/// An answer that begins and does not end.
public struct HalfAnswer: Sendable, Hashable {
    /// How much of the answer is written.
    public enum Extent: Sendable, Hashable, CaseIterable {
        /// HEADERS without END_STREAM.
        case headers
        /// HEADERS and half of the body; of an answer without a body, one byte.
        case body
        /// The first twelve bytes of the HEADERS frame. Nothing can follow it, so that the connection is mute from then on.
        case frame
    }

    /// What comes instead of the rest.
    public enum Ending: Sendable, Hashable {
        /// Nothing, ever.
        case nothing
        /// RST_STREAM with this code. After a part of a frame: nothing.
        case reset(code: UInt32)
        /// The connection ends.
        case cut(Fault.Cut)
    }

    /// How much of the answer is written.
    public var extent: Extent
    /// What comes instead of the rest.
    public var ending: Ending

    /// By default HEADERS without END_STREAM, and nothing more.
    public init(_ extent: Extent = .headers, then ending: Ending = .nothing) {
        self.extent = extent
        self.ending = ending
    }
}
