/// A request and the received part of its answer.
struct ClientStream: SlabElement {
    /// Means "not produced yet".
    static let never = UInt64.max

    var id: StreamID = 0
    var tag = 0
    /// Its last event was reported, or the caller reset it. It waits for nghttp2 to release it.
    var isFinished = false
    /// HEADERS with END_STREAM were produced, but not yet the last CONTINUATION.
    var endsWithHeaderBlock = false
    var outgoing = OutgoingBody()
    var firstByte = ClientStream.never
    var end = ClientStream.never

    /// The final status, once its header block is complete and valid; 0 until then.
    var status = 0
    var headers = HeaderBlock()
    var body: [UInt8] = []

    init() {}

    /// Reuses a finished stream for a new request.
    mutating func begin(body: [UInt8], tag: Int) {
        id = 0
        self.tag = tag
        isFinished = false
        endsWithHeaderBlock = false
        outgoing = OutgoingBody(body)
        firstByte = Self.never
        end = Self.never
        status = 0
    }

    mutating func vacate() {
        if !isFinished { silence() }
    }

    var progress: StreamProgress {
        StreamProgress(
            firstByte: firstByte == Self.never ? nil : firstByte, end: end == Self.never ? nil : end)
    }

    /// The answer so far; nil without a final status.
    func response(isComplete: Bool) -> Response? {
        guard status != 0 else { return nil }
        return Response(
            stream: id, tag: tag, status: status, headers: headers, body: body, isComplete: isComplete)
    }

    /// Stores a final status and its fields.
    mutating func answered(_ status: Int, headers: consuming HeaderBlock) {
        // A finished stream keeps nothing.
        guard !isFinished else { return }
        self.status = status
        self.headers = headers
    }

    /// Finishes the stream. Returns the event to report, if there is one.
    mutating func finish(_ code: HTTP2ErrorCode, isComplete: Bool, isMalformed: Bool) -> ClientEvent? {
        guard !isFinished else { return nil }
        defer { silence() }
        guard status != 0 else {
            return .closed(
                id, tag: tag, code, isRequestWhole: end != Self.never, isMalformed: isMalformed || isComplete)
        }
        var response = Response(
            stream: id, tag: tag, status: status, headers: HeaderBlock(), body: [], isComplete: isComplete)
        // Moved, not copied.
        swap(&response.headers, &headers)
        swap(&response.body, &body)
        return .response(response)
    }

    /// Finishes the stream without an event and frees its memory.
    mutating func silence() {
        isFinished = true
        outgoing = OutgoingBody()
        headers = HeaderBlock()
        body = []
    }

    /// Records a produced frame of the stream. Returns true if it is the first one.
    mutating func produced(_ frame: ProducedFrame) -> Bool {
        let isFirst = firstByte == Self.never
        if isFirst { firstByte = frame.start }
        switch frame.type {
        case ProducedFrame.data:
            if frame.has(ProducedFrame.endStream) { end = frame.end }
        case ProducedFrame.headers where frame.has(ProducedFrame.endStream):
            // A request is complete only after its whole header block.
            if frame.has(ProducedFrame.endHeaders) { end = frame.end } else { endsWithHeaderBlock = true }
        case ProducedFrame.continuation where frame.has(ProducedFrame.endHeaders) && endsWithHeaderBlock:
            end = frame.end
        default:
            break
        }
        return isFirst
    }
}

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
