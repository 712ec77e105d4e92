/// The server side of one HTTP/2 connection, for a simulator. It follows the protocol except for the bytes passed to
/// `inject`.
///
/// Not thread-safe and not Sendable; its owner confines it. It has no socket and no clock. A client that breaks the
/// protocol gets a GOAWAY from `produce`; then `isFinished` is true and `failure` says why. Requests above the
/// acknowledged limit end the connection; those above a limit that is not acknowledged yet get REFUSED_STREAM.
package final class ServerSession {
    package struct Configuration: Sendable {
        /// The first SETTINGS frame.
        package var settings = ServerSettings(maxConcurrentStreams: 1_000)
        /// How many body bytes a client may send on the connection before it must wait for us; at least 65,535, which
        /// a connection has from the start (RFC 9113, section 6.9.2).
        package var connectionWindow = 65_535
        /// How many bytes of a request's header list are kept, as RFC 9113, section 6.5.2, counts them.
        package var maxHeaderListBytes = 32 * 1_024
        /// How many fields of a request are kept.
        package var maxHeaderFields = 256
        /// How many bytes of a request's body are kept; the rest is counted.
        package var maxBodyBytes = 16 * 1_024

        package init() {}
    }

    // One exclusive access per call: within it, nghttp2's callbacks reach the value by pointer (see `SessionSide`).
    private var core: ServerCore

    /// Creates a session and queues its SETTINGS.
    package init(_ configuration: Configuration) throws(SessionError) {
        core = try ServerCore(configuration)
        try core.start()
    }

    /// Whether the session answers PINGs of the client.
    package var answersPings: Bool {
        get { core.answersPings }
        set { core.answersPings = newValue }
    }

    // MARK: Answers

    /// Queues the final response. If it is sent before the whole request has arrived, RST_STREAM(NO_ERROR) follows it
    /// (RFC 9113, section 8.1).
    ///
    /// - Returns: False if the stream is gone or already answered.
    @discardableResult
    package func respond(_ stream: StreamID, fields: FieldList, body: [UInt8] = []) -> Bool {
        core.respond(stream, fields: fields, body: body)
    }

    /// Queues an informational (1xx) header block.
    package func inform(_ stream: StreamID, fields: FieldList) {
        core.begin(stream, fields: fields)
    }

    /// Queues the header block of an answer without ending the stream. `finish` or anything else may follow.
    ///
    /// - Returns: False if the stream is gone.
    @discardableResult
    package func begin(_ stream: StreamID, fields: FieldList) -> Bool {
        core.begin(stream, fields: fields)
    }

    /// Queues the body and the end of an answer that `begin` started.
    ///
    /// - Returns: False if the stream is gone.
    @discardableResult
    package func finish(_ stream: StreamID, body: [UInt8] = []) -> Bool {
        core.finish(stream, body: body)
    }

    package func reset(_ stream: StreamID, code: HTTP2ErrorCode) {
        core.session.submitReset(stream, code: code)
    }

    /// Queues GOAWAY. When it is produced, streams above `lastStreamID` are closed, and no new ones are accepted.
    ///
    /// - Parameters:
    ///   - lastStreamID: If nil, the last stream received so far. A later GOAWAY with a higher id is ignored.
    ///   - debugData: At most 16,376 bytes; the rest is cut off.
    package func goAway(
        lastStreamID: StreamID? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) {
        core.goAway(lastStreamID: lastStreamID, code: code, debugData: debugData)
    }

    /// Queues the first step of a graceful shutdown: GOAWAY with last-stream-id 2^31-1 (RFC 9113, section 6.8). Streams
    /// are accepted until `goAway` follows.
    package func shutdownNotice() { core.shutdownNotice() }

    /// Queues another SETTINGS frame.
    package func submit(_ settings: ServerSettings) throws(SessionError) {
        if let failure { throw failure }
        try core.submit(settings)
    }

    /// Queues a PING with this payload.
    package func ping(_ payload: UInt64) { core.session.ping(payload) }

    /// Appends raw bytes to what can be produced now. They do not change the HPACK state.
    package func inject(_ bytes: some Collection<UInt8>) throws(SessionError) {
        try core.hold(foreign: bytes)
    }

    // MARK: Windows

    /// Whether body bytes that were read stay in the connection's window until `giveBack`. If not, they are given back
    /// by WINDOW_UPDATE once half of the window is used (RFC 9113, section 6.9).
    package var keepsConnectionWindow: Bool {
        get { core.keepsConnectionWindow }
        set { core.keepsConnectionWindow = newValue }
    }

    /// The same for the windows of the streams.
    package var keepsStreamWindows: Bool {
        get { core.keepsStreamWindows }
        set { core.keepsStreamWindows = newValue }
    }

    /// How many bytes were read and not given back, by stream; 0 is the connection. Streams whose request is complete
    /// need none.
    package var unreturnedBytes: [StreamID: Int] { core.unreturnedBytes }

    /// Those of the connection alone.
    package var unreturnedConnectionBytes: Int { core.unreturnedConnectionBytes }

    /// The streams whose request is not complete.
    package var unfinishedStreams: [StreamID] { core.unfinishedStreams }

    /// Queues a WINDOW_UPDATE for bytes that were read.
    ///
    /// - Parameters:
    ///   - bytes: At most what was read and not given back; nil for all of it.
    ///   - stream: 0 for the connection.
    package func giveBack(_ bytes: Int? = nil, to stream: StreamID) {
        core.giveBack(bytes, to: stream)
    }

    /// Queues a WINDOW_UPDATE, whether as many bytes were read or not. One that would exceed 2^31-1 is left out.
    ///
    /// - Parameters:
    ///   - stream: 0 for the connection.
    ///   - bytes: 1…2^31-1.
    package func updateWindow(of stream: StreamID, by bytes: Int) {
        core.session.submitWindowUpdate(stream, by: bytes)
    }

    // MARK: Bytes in

    /// Handles bytes of the client, split anywhere, and appends their events to `list`.
    package func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ServerEvent]) throws(SessionError) {
        try core.receive(bytes, into: &list)
    }

    /// Whether `takeEvents` has any: `produce` closes streams too.
    package var hasEvents: Bool { !core.events.isEmpty }

    /// Moves the events of `produce` into `list`. `receive` does this too.
    package func takeEvents(into list: inout [ServerEvent]) { core.takeEvents(into: &list) }

    /// How many streams are open or half open.
    package var openStreamCount: Int { core.streams.count }

    /// Why the session failed; nil while it lives.
    package var failure: SessionError? { core.session.failure }

    // MARK: Bytes out

    /// How many bytes were produced in total.
    package var producedBytes: UInt64 { core.session.producedBytes }

    /// Whether `produce` has work to do. (It may turn out to be bookkeeping without a byte.)
    package var hasOutput: Bool { core.session.hasOutput }

    /// Whether nothing will be sent or received any more: close the connection.
    package var isFinished: Bool { core.session.isFinished }

    /// Appends whole frames to `buffer` until it holds at least `limit` bytes, or nothing is left.
    ///
    /// A frame is never split, so `buffer` may exceed `limit` by up to 16 KiB. After a failure, the GOAWAY that
    /// explains it is still produced; then nothing.
    package func produce(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        try core.produce(into: &buffer, upTo: limit)
    }
}

/// An event of a server session.
package enum ServerEvent: Sendable, Equatable {
    /// A request's header block arrived. `endsStream`: there is no body, and `request` follows.
    case headersReceived(StreamID, HeaderBlock, endsStream: Bool)
    /// Bytes of a request's body arrived. Reported only if the connection's or the streams' windows are kept.
    case bodyRead(StreamID, Int)
    /// A request is complete.
    case request(Request)
    /// The client reset the stream; `closed` follows.
    case reset(StreamID, HTTP2ErrorCode)
    /// The stream ended for any reason. The last event of each stream that had one.
    case closed(StreamID, HTTP2ErrorCode)
    /// A SETTINGS frame of the client arrived.
    case settings(PeerSettings)
    /// The client applied the oldest SETTINGS not acknowledged so far.
    case settingsAcknowledged
    case goAway(lastStreamID: StreamID, HTTP2ErrorCode, debugData: [UInt8])
    /// The client sent a PING. It is answered unless `answersPings` is false.
    case ping(UInt64)
    /// The client answered our PING.
    case pong(UInt64)
}

/// A request as the server received it.
package struct Request: Sendable, Hashable {
    package var stream: StreamID
    package var headers: HeaderBlock
    /// False if fields beyond the bound were left out.
    package var hasAllHeaders: Bool
    /// The body, up to the bound.
    package var body: [UInt8]
    /// How many bytes of the body arrived, including those beyond the bound.
    package var bodyLength: Int

    /// Whether part of the body was left out.
    package var isTruncated: Bool { bodyLength > body.count }
}
