/// The server side of one HTTP/2 connection, for a simulator: it obeys the protocol until told to `inject` something else.
///
/// Not thread-safe and not Sendable: it is confined to its owner. It knows no socket and no clock. A client that
/// breaks the protocol gets a GOAWAY from `produce`, after which `isFinished` is true and `failure` says why. Requests
/// above the acknowledged limit end the connection, those above a limit not yet acknowledged get REFUSED_STREAM.
package final class ServerSession {
    package struct Configuration: Sendable {
        /// The first SETTINGS frame.
        package var settings = ServerSettings(maxConcurrentStreams: 1_000)
        /// Bytes of bodies a client may send on the connection before it waits for us; 65,535 at least.
        package var connectionWindow = 1_024 * 1_024
        /// Bytes of a request's header list, as RFC 9113 section 6.5.2 counts them, that are kept.
        package var maxHeaderListBytes = 32 * 1_024
        /// Fields of a request that are kept.
        package var maxHeaderFields = 256
        /// Bytes of a request's body that are kept; the rest is counted.
        package var maxBodyBytes = 16 * 1_024

        package init() {}
    }

    // One exclusive access a call: within it, nghttp2's callbacks reach the value by pointer (see `SessionSide`).
    private var core: ServerCore

    /// Makes a session and queues its SETTINGS.
    package init(_ configuration: Configuration) throws(SessionError) {
        core = try ServerCore(configuration)
        try core.start()
    }

    /// Whether PINGs of the client are answered.
    package var answersPings: Bool {
        get { core.answersPings }
        set { core.answersPings = newValue }
    }

    // MARK: Answers

    /// Queues the final response. Should it be out before the request is in, RST_STREAM(NO_ERROR) follows it
    /// (RFC 9113 section 8.1).
    ///
    /// - Returns: false if the stream is gone or already answered.
    @discardableResult
    package func respond(_ stream: StreamID, _ fields: FieldList, body: [UInt8] = []) -> Bool {
        core.respond(stream, fields, body: body)
    }

    /// Queues an informational (1xx) header block.
    package func inform(_ stream: StreamID, _ fields: FieldList) {
        core.begin(stream, fields)
    }

    /// Queues the header block of an answer that does not end with it. `finish` may follow, or anything else.
    ///
    /// - Returns: false if the stream is gone.
    @discardableResult
    package func begin(_ stream: StreamID, _ fields: FieldList) -> Bool {
        core.begin(stream, fields)
    }

    /// Queues the body and the end of an answer that was begun.
    ///
    /// - Returns: false if the stream is gone.
    @discardableResult
    package func finish(_ stream: StreamID, body: [UInt8] = []) -> Bool {
        core.finish(stream, body: body)
    }

    package func reset(_ stream: StreamID, _ code: HTTP2ErrorCode) {
        core.session.submitReset(stream, code)
    }

    /// Queues GOAWAY. Streams above `lastStreamID` are closed when it is produced, and no new ones are taken.
    ///
    /// - Parameters:
    ///   - lastStreamID: nil: the last stream received so far. A later GOAWAY must not name a higher one; it is ignored.
    ///   - debugData: 16,376 bytes at most, the rest is cut.
    package func goAway(
        lastStreamID: StreamID? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) {
        core.goAway(lastStreamID: lastStreamID, code, debugData)
    }

    /// Queues the first step of a graceful shutdown: GOAWAY with last-stream-id 2^31-1 (RFC 9113 section 6.8).
    /// Streams are still taken until `goAway` follows.
    package func shutdownNotice() { core.shutdownNotice() }

    /// Queues another SETTINGS frame.
    package func submit(_ settings: ServerSettings) throws(SessionError) {
        if let failure { throw failure }
        try core.session.submitSettings(settings.nativeEntries)
    }

    /// Queues a PING with this payload.
    package func ping(_ payload: UInt64) { core.session.ping(payload) }

    /// Puts bytes behind what can be produced now, as they are. HPACK's state knows nothing of them.
    package func inject(_ bytes: some Collection<UInt8>) throws(SessionError) {
        try core.hold(foreign: bytes)
    }

    // MARK: Bytes in

    /// Takes bytes of the client, cut anywhere, and appends what they mean to `list`.
    package func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ServerEvent]) throws(SessionError) {
        try core.receive(bytes, into: &list)
    }

    /// Whether `takeEvents` has any: `produce` closes streams too.
    package var hasEvents: Bool { !core.events.isEmpty }

    /// Moves the events that `produce` gave rise to into `list`. `receive` does so too.
    package func takeEvents(into list: inout [ServerEvent]) { core.takeEvents(into: &list) }

    /// Streams that are open, or half open.
    package var openStreamCount: Int { core.streams.count }

    /// Why the session is dead; nil while it lives.
    package var failure: SessionError? { core.session.failure }

    // MARK: Bytes out

    /// Bytes ever produced.
    package var producedBytes: UInt64 { core.session.producedBytes }

    /// Whether `produce` has something to do. (It may then turn out to be bookkeeping only, without a byte.)
    package var hasOutput: Bool { core.session.hasOutput }

    /// Whether nothing will come in or go out any more: close the connection.
    package var isFinished: Bool { core.session.isFinished }

    /// Appends whole frames to `buffer` until it holds `limit` bytes or more, or nothing is left.
    ///
    /// A frame is never cut, so up to 16 KiB more than `limit` may lie there. After the session died, what explains
    /// its death to the peer (GOAWAY) is still produced; then nothing.
    package func produce(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        try core.produce(into: &buffer, upTo: limit)
    }
}
