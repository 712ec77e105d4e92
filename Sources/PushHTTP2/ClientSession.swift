/// The client side of one HTTP/2 connection: requests and bytes in, events and bytes out.
///
/// Not thread-safe and not Sendable; its owner confines it. It has no socket and no clock. Pass received bytes to
/// `receive`, send the bytes of `produce`, and check the events after both. Every stream ends with exactly one event,
/// `response` or `closed`, unless the caller `reset` it or the session fails first; `openStreams` lists the latter.
package final class ClientSession {
    /// The initial configuration of a session.
    package struct Configuration: Sendable {
        /// How many streams may be opened before the peer's first SETTINGS; 1…2^31-1. More wait inside the session.
        package var assumedMaxConcurrentStreams = 1
        /// How many bytes of a response's header list are kept, as RFC 9113, section 6.5.2, counts them. Advertised.
        package var maxHeaderListBytes = 16 * 1_024
        /// How many fields of a response are kept.
        package var maxHeaderFields = 128
        /// How many bytes of a response's body are kept.
        package var maxBodyBytes = 16 * 1_024
        /// How many bytes the peer may send without ending a stream; beyond them the session ends. Twice the size of a
        /// thousand answers of the sizes above.
        package var maxIdleBytes = 64 * 1_024 * 1_024
        /// How many body bytes the peer may send on the connection before it must wait for us; at least 65,535.
        package var connectionWindow = 256 * 1_024
        /// The first stream id, odd. Tests use a high one to see what happens when ids run out.
        package var firstStreamID: StreamID = 1

        package init() {}
    }

    // One access per call: within it, nghttp2's callbacks reach the value by pointer (see `SessionSide`) and call nothing
    // outside of it. So it is unchecked: the check takes 75 instructions for each push.
    @exclusivity(unchecked) private var core: ClientCore

    /// Creates a session and queues the connection preface and SETTINGS (ENABLE_PUSH 0).
    package init(_ configuration: Configuration) throws(SessionError) {
        core = try ClientCore(configuration)
        try core.start()
    }

    // MARK: Requests

    /// Queues a request. Ids are 1, 3, 5 … in the order of the calls.
    ///
    /// - Parameters:
    ///   - body: If empty, HEADERS end the stream.
    ///   - tag: Returned with the stream's last event.
    /// - Throws: `cannotOpenStream` after GOAWAY, when ids ran out, or when the session has failed; `headersTooLarge`
    ///   if the header block could never be sent. Neither changes the session. A caller that numbers its own calls then
    ///   calls `skipStream`.
    package func submit(_ fields: FieldList, body: [UInt8], tag: Int) throws(SessionError) -> StreamID {
        try core.submit(fields, body: body, tag: tag)
    }

    /// Requests with fields of this size or more are refused: no server needs more, and a block of that size leaves as a
    /// whole.
    package static let maxFieldListSize = 65_536

    /// Skips the next id, for a request that its caller numbered but cannot make. Ids need only ascend (RFC 9113,
    /// section 5.1.1).
    package func skipStream() { core.skipStream() }

    /// The stream of the latest accepted request; 0 before the first.
    package var lastSubmitted: StreamID { core.lastSubmitted }

    /// Ends a stream and delivers no more events for it. If no frame of it was produced yet, none ever is.
    package func reset(_ stream: StreamID, code: HTTP2ErrorCode) { core.reset(stream, code: code) }

    /// Tells the peer that this connection opens no more streams. Open streams continue.
    package func goAway() { core.goAway() }

    /// Stops sending requests that are not completely sent, and delivers no more events for them. For a connection that
    /// is being closed.
    package func withhold() { core.withhold() }

    /// Queues a PING with this payload.
    package func ping(_ payload: UInt64) { core.session.ping(payload) }

    // MARK: What is known

    /// How much the peer takes now. Requests are best begun only if it takes their whole body; their bodies leave in the
    /// order of the calls in any case.
    package var sendWindow: SendWindow { core.sendWindow() }

    /// How much of an open stream was produced; nil if it has ended or was never submitted.
    package func progress(of stream: StreamID) -> StreamProgress? { core.progress(of: stream) }

    /// The part of a stream's answer that arrived; `isComplete` is false. Nil unless a valid final status arrived and
    /// the stream is still open.
    package func partialResponse(of stream: StreamID) -> Response? { core.partialResponse(of: stream) }

    /// The streams without a last event, by id. Take the events first.
    package func openStreams() -> [OpenStream] { core.openStreams() }

    /// How many streams nghttp2 holds, including finished ones.
    package var streamsHeld: Int { core.streams.count }

    /// Why the session failed; nil while it lives.
    package var failure: SessionError? { core.session.failure }

    // MARK: Bytes in

    /// Handles bytes of the peer, split anywhere, and appends their events to `list`.
    ///
    /// - Throws: When the peer breaks the protocol. `list` then contains the events before the violation. The session
    ///   has failed, but its GOAWAY can still be produced, and `openStreams` still answers.
    package func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ClientEvent]) throws(SessionError) {
        try core.receive(bytes, into: &list)
    }

    /// Whether `takeEvents` has any. `produce` can end streams too, if it answers a violation with RST_STREAM.
    package var hasEvents: Bool { !core.events.isEmpty }

    /// Moves the events of `produce` into `list`. `receive` does this too.
    package func takeEvents(into list: inout [ClientEvent]) { core.takeEvents(into: &list) }

    // MARK: Bytes out

    /// How many bytes were produced in total.
    package var producedBytes: UInt64 { core.session.producedBytes }

    /// Whether `produce` has work to do. (It may turn out to be bookkeeping without a byte.)
    package var hasOutput: Bool { core.session.hasOutput }

    /// Whether nothing will be sent or received any more: close the connection.
    package var isFinished: Bool { core.session.isFinished }

    /// Appends whole frames to `buffer` until it holds at least `limit` bytes, or nothing is left.
    ///
    /// A frame and a header block are never split, so `buffer` may exceed `limit` by up to 64 KiB. After a failure, the
    /// GOAWAY that explains it is still produced; then nothing.
    package func produce(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        try core.produce(into: &buffer, upTo: limit)
    }

    /// Returns memory to the system that the session does not need while no stream is open and nothing is to be sent.
    ///
    /// - Returns: True if requests have used that memory since the last time. The next one takes it again.
    package func rest() -> Bool { core.rest() }

    /// The GOAWAY that tells the peer why this session failed, without the requests that may be queued before it. Empty
    /// if the session lives, or if the GOAWAY was already produced.
    package func lastWords() -> [UInt8] { core.lastWords() }
}

/// An event of a client session. Each stream gets exactly one `response` or `closed`, as its last event.
package enum ClientEvent: Sendable, Equatable {
    /// A SETTINGS frame of the peer arrived. The value combines all SETTINGS so far.
    case settings(PeerSettings)
    /// A valid final status arrived and the stream has ended.
    case response(Response)
    /// The stream ended without a valid final status. `refusedStream`: the peer did not process the request.
    ///
    /// `isRequestWhole`: its END_STREAM was produced. `isMalformed`: the answer breaks the rules (no status, an invalid
    /// one, or an invalid frame), and the code is ours, not the peer's.
    case closed(StreamID, tag: Int, HTTP2ErrorCode, isRequestWhole: Bool = true, isMalformed: Bool = false)
    /// The peer accepts no new streams. `closed(…, .refusedStream)` follows, in order of ids, for each stream above
    /// `lastStreamID` and each stream without a produced frame.
    case goAway(lastStreamID: StreamID, HTTP2ErrorCode, debugData: [UInt8])
    /// The peer answered the PING with this payload.
    case pong(UInt64)

    /// The status of a response; nil for all other events.
    package var status: Int? { if case .response(let response) = self { response.status } else { nil } }

    /// The stream that ends with this event.
    var endedStream: StreamID? {
        switch self {
        case .response(let response): response.stream
        case .closed(let stream, _, _, _, _): stream
        case .settings, .goAway, .pong: nil
        }
    }
}

/// The answer to one request.
package struct Response: Sendable, Hashable {
    package var stream: StreamID
    /// The tag passed to `submit`.
    package var tag: Int
    /// 200…599.
    package var status: Int
    package var headers: HeaderBlock
    package var body: [UInt8]
    /// False if the stream or the session ended early, or if headers or body were cut at a bound. The status is valid
    /// in any case.
    package var isComplete: Bool
}
