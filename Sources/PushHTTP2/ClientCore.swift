import CPushNghttp2

/// The state of a client session. Its owner's calls and nghttp2's callbacks change it (see `SessionSide`).
struct ClientCore: SessionSide, ~Copyable {
    let configuration: ClientSession.Configuration
    var session: NativeSession
    var streams = Slab<ClientStream>()
    var settings = PeerSettings()
    /// The number of GOAWAY frames received. A graceful shutdown takes two (RFC 9113, section 6.8), and no peer needs
    /// many more.
    var goAways = 0
    static let mostGoAways = 10
    /// The last-stream-id of the latest GOAWAY that lowered it.
    var lastGoAway: StreamID?
    private var goAwaySent = false
    /// The stream of the latest accepted request; 0 before the first. Ids ascend (RFC 9113, section 5.1.1).
    private(set) var lastSubmitted: StreamID = 0
    private var idsExhausted = false
    /// How many requests have no produced frame yet.
    var unproduced = 0
    /// Their header fields.
    var waitingHeads = WaitingHeads()
    var encoder = HeaderEncoder()
    var bodies: BodyTurns
    /// Bytes received since the last stream ended.
    var idleBytes = 0
    /// How many bytes were produced at the last `rest`, and the stream of the latest request then.
    private var restedAt: UInt64 = 0
    private var restedAfter: StreamID = 0
    /// The latest GOAWAY that we produced.
    private var verdict: ProducedFrame?
    /// Events of `produce`, and of `receive` until it returns them.
    private(set) var events: [ClientEvent] = []
    /// The header block that is being received.
    var incoming = IncomingBlock()

    init(_ configuration: ClientSession.Configuration) throws(SessionError) {
        self.configuration = configuration
        bodies = BodyTurns(first: configuration.firstStreamID)
        session = try NativeSession(.client, install: ClientCallbacks.install) { option in
            let assumed = UInt32(clamping: max(1, configuration.assumedMaxConcurrentStreams))
            nghttp2_option_set_peer_max_concurrent_streams(option, assumed)
            // Our encoder keeps the table.
            nghttp2_option_set_max_deflate_dynamic_table_size(option, 0)
            // A blank in a field that nobody reads must not hide an answer.
            cpush_option_accept_outer_blanks(option)
        }
    }

    /// Queues the connection preface and SETTINGS.
    mutating func start() throws(SessionError) {
        if configuration.firstStreamID != 1 {
            session.check(nghttp2_session_set_next_stream_id(session.native, configuration.firstStreamID))
        }
        try session.submitSettings([
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: configuration.maxHeaderListBytes)),
        ])
        try session.setConnectionWindow(max(65_535, configuration.connectionWindow))
    }

    // MARK: Requests

    mutating func submit(_ fields: borrowing FieldList, body: [UInt8], tag: Int) throws(SessionError) -> StreamID {
        if hasObstacle, let obstacle { throw SessionError(.cannotOpenStream, obstacle) }
        guard fields.listSize < ClientSession.maxFieldListSize else {
            throw SessionError(.headersTooLarge, "The request's header fields exceed 64 KiB: shorten them.")
        }
        let slot = streams.insert()
        streams[slot].begin(body: body, tag: tag)
        let pointer = Slab<ClientStream>.pointer(to: slot)
        let native = session.native
        // Without fields: `ClientCore+Requests` writes the header block.
        let id = ClientCallbacks.withBodySource(pointer, isEmpty: body.isEmpty) { source in
            nghttp2_submit_request(native, nil, nil, 0, source, pointer)
        }
        guard id > 0 else {
            streams.remove(slot)
            guard id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue else {
                session.check(id)
                throw SessionError(nativeCode: Int(id))
            }
            idsExhausted = true
            throw SessionError(.cannotOpenStream, Self.exhausted)
        }
        streams[slot].id = id
        lastSubmitted = id
        unproduced += 1
        bodies.accepted(id, bytes: body.count, window: settings.initialWindowSize)
        waitingHeads.append(id, fields: fields)
        idsExhausted = id == StreamID.max
        return id
    }

    mutating func skipStream() {
        let id = nghttp2_session_get_next_stream_id(session.native)
        guard id < StreamID.max else { return idsExhausted = true }
        session.check(nghttp2_session_set_next_stream_id(session.native, Int32(id) + 2))
    }

    private static let exhausted = "This connection has used up its stream ids: open another."

    var goAwayReceived: Bool { lastGoAway != nil }

    private var hasObstacle: Bool { !session.isAlive || goAwayReceived || goAwaySent || idsExhausted }

    private var obstacle: String? {
        if let failure = session.failure { return failure.sentence }
        if goAwayReceived { return "The peer accepts no more requests here (GOAWAY): open another connection." }
        if goAwaySent { return "This connection is being closed: open another." }
        return idsExhausted ? Self.exhausted : nil
    }

    mutating func reset(_ stream: StreamID, code: HTTP2ErrorCode) {
        events.removeAll { $0.endedStream == stream }
        guard let slot = openSlot(of: stream) else { return }
        dropBody(of: slot)
        streams[slot].silence()
        session.submitReset(stream, code: code)
        resumeTurn()
    }

    mutating func goAway() {
        guard !goAwaySent else { return }
        goAwaySent = true
        session.submitGoAway(
            last: nghttp2_session_get_last_proc_stream_id(session.native), code: .noError, debugData: [])
    }

    mutating func withhold() {
        for slot in streams.taken where !streams[slot].isFinished && streams[slot].end == ClientStream.never {
            let stream = streams[slot].id
            dropBody(of: slot)
            streams[slot].silence()
            session.submitReset(stream, code: .cancel)
        }
    }

    // MARK: What is known

    func progress(of stream: StreamID) -> StreamProgress? {
        guard let slot = openSlot(of: stream) else { return nil }
        return streams[slot].progress
    }

    func partialResponse(of stream: StreamID) -> Response? {
        guard let slot = openSlot(of: stream) else { return nil }
        return streams[slot].response(isComplete: false)
    }

    func openStreams() -> [OpenStream] {
        var open: [OpenStream] = []
        for slot in streams.taken where !streams[slot].isFinished {
            let stream = streams[slot]
            open.append(
                OpenStream(
                    stream: stream.id, tag: stream.tag, progress: stream.progress,
                    partialResponse: stream.response(isComplete: false)))
        }
        return open.sorted { $0.stream < $1.stream }
    }

    // MARK: Bytes and events

    mutating func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ClientEvent]) throws(SessionError) {
        takeEvents(into: &list)
        // Let the callbacks append to the caller's memory.
        swap(&list, &events)
        defer { swap(&list, &events) }
        idleBytes += bytes.count
        try feed(bytes)
        resumeTurn()
        guard goAways <= Self.mostGoAways else {
            throw end(.enhanceYourCalm, "more than \(Self.mostGoAways) GOAWAY frames")
        }
        // Informational answers, empty frames and unknown frames are allowed, but only up to a limit.
        guard idleBytes <= configuration.maxIdleBytes else {
            throw end(.enhanceYourCalm, "\(configuration.maxIdleBytes) bytes without an answer")
        }
    }

    mutating func report(_ event: consuming ClientEvent) {
        events.append(event)
    }

    mutating func takeEvents(into list: inout [ClientEvent]) {
        guard !events.isEmpty else { return }
        list.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
    }

    mutating func rest() -> Bool {
        let produced = session.producedBytes
        guard streams.count == 0, session.isAlive, !session.hasOutput, produced != restedAt else { return false }
        defer { (restedAt, restedAfter) = (produced, lastSubmitted) }
        session.rest()
        guard lastSubmitted != restedAfter else { return false }
        streams.trim()
        waitingHeads.rest()
        encoder.rest()
        incoming.rest()
        if events.isEmpty { events = [] }
        return true
    }

    mutating func lastWords() -> [UInt8] {
        guard !session.isAlive else { return [] }
        let start = session.producedBytes
        var bytes: [UInt8] = []
        try? produce(into: &bytes, upTo: .max)
        guard let verdict, verdict.start >= start else { return [] }
        return Array(bytes[Int(verdict.start - start)..<Int(verdict.end - start)])
    }

    // MARK: Slots

    /// The slot of a stream that has not finished.
    private func openSlot(of stream: StreamID) -> Int? {
        if let slot = slot(of: stream) { return streams[slot].isFinished ? nil : slot }
        // nghttp2 knows a stream from its first frame on. Search for one that still waits for the peer's limit.
        guard unproduced != 0 else { return nil }
        for slot in streams.taken where streams[slot].id == stream && !streams[slot].isFinished { return slot }
        return nil
    }

    /// The slot of a stream that nghttp2 has opened.
    func slot(of stream: StreamID) -> Int? {
        streams.slot(from: nghttp2_session_get_stream_user_data(session.native, stream))
    }

    // MARK: What nghttp2 reports (more of it in ClientCore+Reception)

    var ownQueuedFrames: Int { streams.count }

    var isTerminating: Bool {
        let native = session.native
        // After a GOAWAY, or when ids ran out, the request check says nothing. The end then shows when our GOAWAY is
        // produced.
        return !goAwayReceived && !idsExhausted && nghttp2_session_check_request_allowed(native) == 0
            && (nghttp2_session_want_read(native) != 0 || nghttp2_session_want_write(native) != 0)
    }

    mutating func frameProduced(_ frame: ProducedFrame) {
        if frame.type == ProducedFrame.goAway { verdict = frame }
        resumeTurn()
        guard frame.stream != 0, frame.type != Self.resetType, let slot = slot(of: frame.stream) else { return }
        guard streams[slot].produced(frame) else { return }
        unproduced -= 1
        bodies.opened(frame.stream)
    }

    private static var resetType: UInt8 { UInt8(NGHTTP2_RST_STREAM.rawValue) }
}
