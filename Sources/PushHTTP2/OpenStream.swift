/// How much of a request was produced, as offsets into all produced bytes of the session.
package struct StreamProgress: Sendable, Hashable {
    /// The offset of the stream's first byte; nil if no frame of it was produced.
    package var firstByte: UInt64?
    /// The offset just past the frame that ended the request: the frame with END_STREAM or, if that is a HEADERS frame
    /// with continuations, the last of these. Nil if it was not produced.
    package var end: UInt64?

    package init(firstByte: UInt64? = nil, end: UInt64? = nil) {
        self.firstByte = firstByte
        self.end = end
    }
}

/// A stream without a last event.
package struct OpenStream: Sendable, Hashable {
    package var stream: StreamID
    package var tag: Int
    package var progress: StreamProgress
    /// The part of the answer that arrived, if it contains a valid final status; `isComplete` is false.
    package var partialResponse: Response?
}
