/// How much of a request was produced, as offsets into all bytes the session ever produced.
package struct StreamProgress: Sendable, Hashable {
    /// The offset of the first byte of the stream's first frame; nil while no frame of it was produced.
    package var firstByte: UInt64?
    /// The offset just past the frame that ended the request: the one with END_STREAM, or, where that is a HEADERS
    /// frame with continuations, the last of these. Nil while it was not produced.
    package var end: UInt64?

    package init(firstByte: UInt64? = nil, end: UInt64? = nil) {
        self.firstByte = firstByte
        self.end = end
    }
}

/// A stream that had no last event yet.
package struct OpenStream: Sendable, Hashable {
    package var stream: StreamID
    package var tag: Int
    package var progress: StreamProgress
    /// What arrived so far, if a valid final status did; `isComplete` is false.
    package var partialResponse: Response?
}
