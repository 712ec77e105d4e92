/// A request on its way, and what arrived of its answer.
struct ClientStream: SlabElement {
    /// Stands for "not produced yet".
    static let never = UInt64.max

    var id: StreamID = 0
    var tag = 0
    /// Its last event was reported, or it was reset by the caller: it waits for nghttp2 to let go of it.
    var isSettled = false
    /// HEADERS with END_STREAM were produced, the last continuation not yet.
    var endsWithHeaderBlock = false
    var outgoing = OutgoingBody()
    var firstByte = ClientStream.never
    var end = ClientStream.never

    /// The final status, once its header block is complete and valid; 0 until then.
    var status = 0
    var headers = HeaderBlock()
    var body: [UInt8] = []

    init() {}

    /// Sets up a new stream in the place of a silent one.
    mutating func begin(body: [UInt8], tag: Int) {
        id = 0
        self.tag = tag
        isSettled = false
        endsWithHeaderBlock = false
        outgoing = OutgoingBody(body)
        firstByte = Self.never
        end = Self.never
        status = 0
    }

    mutating func vacate() {
        if !isSettled { silence() }
    }

    var progress: StreamProgress {
        StreamProgress(
            firstByte: firstByte == Self.never ? nil : firstByte, end: end == Self.never ? nil : end)
    }

    /// What arrived, if a final status did.
    func response(isComplete: Bool) -> Response? {
        guard status != 0 else { return nil }
        return Response(
            stream: id, tag: tag, status: status, headers: headers, body: body, isComplete: isComplete)
    }

    /// A final status arrived, and these fields with it.
    mutating func answered(_ status: Int, _ headers: consuming HeaderBlock) {
        // Nothing is kept for a stream that is silent.
        guard !isSettled else { return }
        self.status = status
        self.headers = headers
    }

    /// Ends it; what is to be reported of that, if anything is.
    mutating func settle(_ code: HTTP2ErrorCode, isComplete: Bool, isMalformed: Bool) -> ClientEvent? {
        guard !isSettled else { return nil }
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

    /// Nothing is reported of it any more, and nothing kept for it.
    mutating func silence() {
        isSettled = true
        outgoing = OutgoingBody()
        headers = HeaderBlock()
        body = []
    }

    /// Notes a frame of it; true if that is its first one.
    mutating func produced(_ frame: ProducedFrame) -> Bool {
        let isFirst = firstByte == Self.never
        if isFirst { firstByte = frame.start }
        switch frame.type {
        case ProducedFrame.data:
            if frame.has(ProducedFrame.endStream) { end = frame.end }
        case ProducedFrame.headers where frame.has(ProducedFrame.endStream):
            // A request is not whole before its header block is.
            if frame.has(ProducedFrame.endHeaders) { end = frame.end } else { endsWithHeaderBlock = true }
        case ProducedFrame.continuation where frame.has(ProducedFrame.endHeaders) && endsWithHeaderBlock:
            end = frame.end
        default:
            break
        }
        return isFirst
    }
}
