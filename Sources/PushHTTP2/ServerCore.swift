import CPushNghttp2

/// The state of a server session. Its owner's calls and nghttp2's callbacks change it (see `SessionSide`).
struct ServerCore: SessionSide, ~Copyable {
    let configuration: ServerSession.Configuration
    var answersPings = true
    var keepsConnectionWindow = false
    var keepsStreamWindows = false
    /// INITIAL_WINDOW_SIZE was changed, or is about to be.
    var changesStreamWindows = false
    var session: NativeSession
    var streams = Slab<ServerStream>()
    var settings = PeerSettings()
    var events: [ServerEvent] = []
    /// The slot of the stream whose request headers are being received.
    var incoming: Int?

    init(_ configuration: ServerSession.Configuration) throws(SessionError) {
        self.configuration = configuration
        // We answer PINGs ourselves, so that a server can be told to ignore them.
        session = try NativeSession(.server, install: ServerCallbacks.install) {
            nghttp2_option_set_no_auto_ping_ack($0, 1)
            // We say which bytes were consumed, so that a server can keep them.
            nghttp2_option_set_no_auto_window_update($0, 1)
            // The default of 64 KiB is less than a misbehaving server may want to send.
            nghttp2_option_set_max_send_header_block_length($0, 32 << 20)
        }
    }

    /// Queues SETTINGS.
    mutating func start() throws(SessionError) {
        try session.submitSettings(configuration.settings.nativeEntries)
        // If it is 65,535, nothing is sent.
        try session.setConnectionWindow(max(65_535, configuration.connectionWindow))
    }

    // MARK: Answers

    mutating func respond(_ stream: StreamID, fields: borrowing FieldList, body: [UInt8]) -> Bool {
        guard session.isAlive, let slot = slot(of: stream) else { return false }
        let native = session.native
        let code = fields.withNativeFields { list, count in
            ServerCallbacks.withBodySource(Slab<ServerStream>.pointer(to: slot), isEmpty: body.isEmpty) { source in
                nghttp2_submit_response(native, stream, list, count, source)
            }
        }
        session.check(code)
        guard code == 0 else { return false }
        streams[slot].outgoing = OutgoingBody(body)
        return true
    }

    @discardableResult
    mutating func begin(_ stream: StreamID, fields: borrowing FieldList) -> Bool {
        guard session.isAlive, slot(of: stream) != nil else { return false }
        let native = session.native
        let code = fields.withNativeFields { list, count in
            nghttp2_submit_headers(native, 0, stream, nil, list, count, nil)
        }
        if code < 0 { session.check(code) }
        return code == 0
    }

    mutating func finish(_ stream: StreamID, body: [UInt8]) -> Bool {
        guard session.isAlive, let slot = slot(of: stream) else { return false }
        let native = session.native
        streams[slot].outgoing = OutgoingBody(body)
        let code = ServerCallbacks.withBodySource(Slab<ServerStream>.pointer(to: slot), isEmpty: false) { source in
            nghttp2_submit_data(native, UInt8(NGHTTP2_FLAG_END_STREAM.rawValue), stream, source)
        }
        session.check(code)
        return code == 0
    }

    mutating func goAway(lastStreamID: StreamID?, code: HTTP2ErrorCode, debugData: [UInt8]) {
        let last = lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session.native)
        session.submitGoAway(last: last, code: code, debugData: debugData)
    }

    mutating func shutdownNotice() {
        guard session.isAlive else { return }
        session.check(nghttp2_submit_shutdown_notice(session.native))
    }

    // MARK: Bytes and events

    mutating func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ServerEvent]) throws(SessionError) {
        takeEvents(into: &list)
        swap(&list, &events)
        defer { swap(&list, &events) }
        try feed(bytes)
    }

    mutating func takeEvents(into list: inout [ServerEvent]) {
        guard !events.isEmpty else { return }
        list.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
    }

    func slot(of stream: StreamID) -> Int? {
        streams.slot(from: nghttp2_session_get_stream_user_data(session.native, stream))
    }

    // MARK: What nghttp2 reports (more of it in ServerCore+Reception)

    var ownQueuedFrames: Int { streams.count }
    var isTerminating: Bool { false }

    mutating func write(_ piece: UnsafeBufferPointer<UInt8>, into buffer: inout [UInt8]) {
        append(piece, to: &buffer)
    }

    mutating func frameProduced(_ frame: ProducedFrame) {}

    mutating func readBody(
        _ source: UnsafeMutableRawPointer?, into buffer: UnsafeMutableRawBufferPointer
    ) -> BodyReading {
        guard let slot = streams.slot(from: source) else { return .lost }
        return .part(streams[slot].outgoing.read(into: buffer))
    }

    mutating func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
        session.frameSent(frame)
        let header = frame.pointee.hd
        guard header.type == ProducedFrame.data || header.type == ProducedFrame.headers,
            header.flags & ProducedFrame.endStream != 0,
            let slot = slot(of: header.stream_id), !streams[slot].isReceived
        else { return }
        session.submitReset(header.stream_id, code: .noError)
    }
}

/// A request that is being received, and its answer.
struct ServerStream: SlabElement {
    var id: StreamID = 0
    var headers = HeaderBlock()
    var headerSize = 0
    var hasAllHeaders = true
    var body: [UInt8] = []
    var bodyLength = 0
    /// The request's END_STREAM arrived.
    var isReceived = false
    var outgoing = OutgoingBody()

    init() {}

    mutating func vacate() {
        self = ServerStream()
    }

    /// Moves the request out.
    mutating func takeRequest() -> Request {
        let request = Request(
            stream: id, headers: headers, hasAllHeaders: hasAllHeaders, body: body, bodyLength: bodyLength)
        headers = HeaderBlock()
        body = []
        return request
    }
}
