import CPushNghttp2

/// The server side of one HTTP/2 connection, for a simulator: it obeys the protocol until told to `inject` something else.
///
/// Not thread-safe and not Sendable: it is confined to its owner. It knows no socket and no clock. A client that
/// breaks the protocol gets a GOAWAY from `produce`, after which `isFinished` is true and `failure` says why. Requests
/// above the acknowledged limit end the connection, those above a limit not yet acknowledged get REFUSED_STREAM.
package final class ServerSession: NativeSession {
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

    let configuration: Configuration
    /// Whether PINGs of the client are answered.
    package var answersPings = true
    var streams = Slab<ServerStream>()
    var settings = PeerSettings()
    var events: [ServerEvent] = []
    /// The slot of the stream whose request headers are being received.
    var incoming: Int?
    private var nativeFields: [nghttp2_nv] = []

    /// Makes a session and queues its SETTINGS.
    package init(_ configuration: Configuration) throws(SessionError) {
        self.configuration = configuration
        // PINGs are answered by us, so that a server can be told to ignore them.
        try super.init(.server) {
            nghttp2_option_set_no_auto_ping_ack($0, 1)
            // 64 KiB by default, which is less than a server that overdoes it may want to write.
            nghttp2_option_set_max_send_header_block_length($0, 32 << 20)
        }
        try submitSettings(configuration.settings.nativeEntries)
        try setConnectionWindow(max(65_535, configuration.connectionWindow))
    }

    // MARK: Answers

    /// Queues the final response. Should it be out before the request is in, RST_STREAM(NO_ERROR) follows it
    /// (RFC 9113 section 8.1).
    ///
    /// - Returns: false if the stream is gone or already answered.
    @discardableResult
    package func respond(_ stream: StreamID, _ fields: FieldList, body: [UInt8] = []) -> Bool {
        guard isAlive, let slot = slot(of: stream) else { return false }
        let code = fields.withNativeFields(scratch: &nativeFields) { list, count in
            SessionCallbacks.withBodySource(Slab<ServerStream>.pointer(to: slot), isEmpty: body.isEmpty) { source in
                nghttp2_submit_response(native, stream, list, count, source)
            }
        }
        check(code)
        guard code == 0 else { return false }
        streams[slot].outgoing = OutgoingBody(body)
        return true
    }

    /// Queues an informational (1xx) header block.
    package func inform(_ stream: StreamID, _ fields: FieldList) {
        begin(stream, fields)
    }

    /// Queues the header block of an answer that does not end with it. `finish` may follow, or anything else.
    ///
    /// - Returns: false if the stream is gone.
    @discardableResult
    package func begin(_ stream: StreamID, _ fields: FieldList) -> Bool {
        guard isAlive, slot(of: stream) != nil else { return false }
        let code = fields.withNativeFields(scratch: &nativeFields) { list, count in
            nghttp2_submit_headers(native, 0, stream, nil, list, count, nil)
        }
        if code < 0 { check(code) }
        return code == 0
    }

    /// Queues the body and the end of an answer that was begun.
    ///
    /// - Returns: false if the stream is gone.
    @discardableResult
    package func finish(_ stream: StreamID, body: [UInt8] = []) -> Bool {
        guard isAlive, let slot = slot(of: stream) else { return false }
        streams[slot].outgoing = OutgoingBody(body)
        let code = SessionCallbacks.withBodySource(Slab<ServerStream>.pointer(to: slot), isEmpty: false) { source in
            nghttp2_submit_data(native, UInt8(NGHTTP2_FLAG_END_STREAM.rawValue), stream, source)
        }
        check(code)
        return code == 0
    }

    package func reset(_ stream: StreamID, _ code: HTTP2ErrorCode) {
        submitReset(stream, code)
    }

    /// Queues GOAWAY. Streams above `lastStreamID` are closed when it is produced, and no new ones are taken.
    ///
    /// - Parameters:
    ///   - lastStreamID: nil: the last stream received so far. A later GOAWAY must not name a higher one; it is ignored.
    ///   - debugData: 16,376 bytes at most, the rest is cut.
    package func goAway(
        lastStreamID: StreamID? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []
    ) {
        submitGoAway(last: lastStreamID ?? nghttp2_session_get_last_proc_stream_id(native), code, debugData)
    }

    /// Queues the first step of a graceful shutdown: GOAWAY with last-stream-id 2^31-1 (RFC 9113 section 6.8).
    /// Streams are still taken until `goAway` follows.
    package func shutdownNotice() {
        guard isAlive else { return }
        check(nghttp2_submit_shutdown_notice(native))
    }

    /// Queues another SETTINGS frame.
    package func submit(_ settings: ServerSettings) throws(SessionError) {
        if let failure { throw failure }
        try submitSettings(settings.nativeEntries)
    }

    /// Puts bytes behind what can be produced now, as they are. HPACK's state knows nothing of them.
    package func inject(_ bytes: some Collection<UInt8>) throws(SessionError) {
        try hold(foreign: bytes)
    }

    // MARK: Events

    /// Takes bytes of the client, cut anywhere, and appends what they mean to `list`.
    package func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ServerEvent]) throws(SessionError) {
        takeEvents(into: &list)
        swap(&list, &events)
        defer { swap(&list, &events) }
        try feed(bytes)
    }

    /// Whether `takeEvents` has any: `produce` closes streams too.
    package var hasEvents: Bool { !events.isEmpty }

    /// Moves the events that `produce` gave rise to into `list`. `receive` does so too.
    package func takeEvents(into list: inout [ServerEvent]) {
        list.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
    }

    /// Streams that are open, or half open.
    package var openStreamCount: Int { streams.count }

    func slot(of stream: StreamID) -> Int? {
        streams.slot(from: nghttp2_session_get_stream_user_data(native, stream))
    }

    // MARK: What nghttp2 reports (see ServerSession+Reception)

    override var ownQueuedFrames: Int { streams.count }
    override func headersBegan(_ frame: nghttp2_headers) { beganBlock(frame) }
    override func headerArrived(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        collect(name, value)
    }
    override func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) { arrived(frame) }
    override func dataArrived(_ stream: StreamID, _ bytes: UnsafeBufferPointer<UInt8>) { arrivedBody(stream, bytes) }
    override func streamClosed(_ stream: StreamID, _ code: HTTP2ErrorCode) { closed(stream, code) }

    override func readBody(
        _ source: UnsafeMutableRawPointer?, into buffer: UnsafeMutableRawBufferPointer
    ) -> BodyPart? {
        guard let slot = streams.slot(from: source) else { return nil }
        let count = streams[slot].outgoing.read(into: buffer)
        return BodyPart(count: count, isLast: streams[slot].outgoing.isFinished)
    }

    override func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
        super.frameSent(frame)
        let header = frame.pointee.hd
        guard header.type == ProducedFrame.data || header.type == ProducedFrame.headers,
            header.flags & ProducedFrame.endStream != 0,
            let slot = slot(of: header.stream_id), !streams[slot].isReceived
        else { return }
        submitReset(header.stream_id, .noError)
    }
}
