import CPushNghttp2

/// The client side of one HTTP/2 connection: requests and bytes in, events and bytes out.
///
/// Not thread-safe and not Sendable: it is confined to its owner. It knows no socket and no clock. Give it what arrived
/// (`receive`), send what it makes (`produce`), and after both look at the events. Every stream ends with exactly one
/// event, `response` or `closed`, unless it was `reset` by the caller or the session dies first; `openStreams` tells
/// which those are.
package final class ClientSession: NativeSession {
    /// How a session behaves from its start.
    package struct Configuration: Sendable {
        /// Streams that may be opened before the peer's first SETTINGS. Those above it wait inside the session. 1…2^31-1.
        package var assumedMaxConcurrentStreams = 1
        /// Bytes of a response's header list, as RFC 9113 section 6.5.2 counts them, that are kept. Advertised.
        package var maxHeaderListBytes = 16 * 1_024
        /// Fields of a response that are kept.
        package var maxHeaderFields = 128
        /// Bytes of a response's body that are kept.
        package var maxBodyBytes = 16 * 1_024
        /// Bytes the peer may send without that a stream ends; beyond them the session ends. Twice of what a thousand
        /// answers of the sizes above hold.
        package var maxIdleBytes = 64 * 1_024 * 1_024
        /// Bytes of bodies the peer may send on the connection before it waits for us; 65,535 at least.
        package var connectionWindow = 256 * 1_024
        /// The first stream's id, odd. A high one shows what happens when ids run out.
        package var firstStreamID: StreamID = 1

        package init() {}
    }

    let configuration: Configuration
    var streams = Slab<ClientStream>()
    var settings = PeerSettings()
    var goAwayReceived = false
    private var goAwaySent = false
    /// The stream of the latest request that was taken; 0 before the first. Ids rise (RFC 9113 section 5.1.1).
    private(set) package var lastSubmitted: StreamID = 0
    private var idsExhausted = false
    /// Requests whose first frame was not produced.
    var unproduced = 0
    /// Bytes received since a stream ended.
    var idleBytes = 0
    /// The latest GOAWAY of ours.
    private var verdict: ProducedFrame?
    /// What happened in `produce`, and in `receive` until it hands over.
    var events: [ClientEvent] = []
    /// The header block being received.
    var incoming = IncomingBlock()
    private var nativeFields: [nghttp2_nv] = []

    /// Makes a session and queues the connection preface and SETTINGS (ENABLE_PUSH 0).
    package init(_ configuration: Configuration) throws(SessionError) {
        self.configuration = configuration
        try super.init(.client) { option in
            let assumed = UInt32(clamping: max(1, configuration.assumedMaxConcurrentStreams))
            nghttp2_option_set_peer_max_concurrent_streams(option, assumed)
        }
        if configuration.firstStreamID != 1 {
            check(nghttp2_session_set_next_stream_id(native, configuration.firstStreamID))
        }
        try submitSettings([
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: configuration.maxHeaderListBytes)),
        ])
        try setConnectionWindow(max(65_535, configuration.connectionWindow))
    }

    // MARK: Requests

    /// Queues a request. Ids are 1, 3, 5 … in the order of the calls.
    ///
    /// - Parameters:
    ///   - body: empty: HEADERS end the stream.
    ///   - tag: comes back with the stream's last event.
    /// - Throws: `cannotOpenStream` after GOAWAY, when ids ran out, or when the session is dead;
    ///   `headersTooLarge` when the header block could never be sent. Neither changes the session; who counts ids of his
    ///   own calls `skipStream`.
    package func submit(_ fields: FieldList, body: [UInt8], tag: Int) throws(SessionError) -> StreamID {
        if let obstacle { throw SessionError(.cannotOpenStream, obstacle) }
        guard fields.listSize < Self.maxFieldListSize else {
            throw SessionError(.headersTooLarge, "The request's header fields exceed 64 KiB: shorten them.")
        }
        let slot = streams.insert(ClientStream(body: body, tag: tag))
        let pointer = Slab<ClientStream>.pointer(to: slot)
        let id = fields.withNativeFields(scratch: &nativeFields) { list, count in
            SessionCallbacks.withBodySource(pointer, isEmpty: body.isEmpty) { source in
                nghttp2_submit_request(native, nil, list, count, source, pointer)
            }
        }
        guard id > 0 else {
            streams.remove(slot)
            guard id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue else {
                check(id)
                throw SessionError(nativeCode: Int(id))
            }
            idsExhausted = true
            throw SessionError(.cannotOpenStream, Self.exhausted)
        }
        streams[slot].id = id
        lastSubmitted = id
        unproduced += 1
        idsExhausted = id == StreamID.max
        return id
    }

    /// Requests with fields of this size or more are refused: nghttp2 sends header blocks of 64 KiB at most, and its bound
    /// for one never exceeds the list's size.
    package static let maxFieldListSize = 65_536

    /// Leaves out the next id, for a request that its caller numbered and cannot make. Ids need only ascend (RFC 9113
    /// section 5.1.1).
    package func skipStream() {
        let id = nghttp2_session_get_next_stream_id(native)
        guard id < StreamID.max else { return idsExhausted = true }
        check(nghttp2_session_set_next_stream_id(native, Int32(id) + 2))
    }

    private static let exhausted = "This connection has used up its stream ids: open another."

    private var obstacle: String? {
        if let failure { return failure.sentence }
        if goAwayReceived { return "The peer accepts no more requests here (GOAWAY): open another connection." }
        if goAwaySent { return "This connection is being closed: open another." }
        return idsExhausted ? Self.exhausted : nil
    }

    /// Ends a stream. No event of it is delivered afterwards; if no frame of it was produced yet, none ever is.
    package func reset(_ stream: StreamID, _ code: HTTP2ErrorCode) {
        events.removeAll { $0.endedStream == stream }
        guard let slot = openSlot(of: stream) else { return }
        silence(slot)
        submitReset(stream, code)
    }

    /// Tells the peer that this connection opens no more streams. Those that are open go on.
    package func goAway() {
        guard !goAwaySent else { return }
        goAwaySent = true
        submitGoAway(last: nghttp2_session_get_last_proc_stream_id(native), .noError, [])
    }

    /// Lets nothing more go out of requests that have not wholly left: for a connection that is being closed. No event of
    /// them is delivered any more.
    package func withhold() {
        for slot in streams.taken where !streams[slot].isSettled && streams[slot].end == ClientStream.never {
            let stream = streams[slot].id
            silence(slot)
            submitReset(stream, .cancel)
        }
    }

    // MARK: What is known

    /// How much of an open stream was produced; nil if it has ended, or was never submitted.
    package func progress(of stream: StreamID) -> StreamProgress? {
        openSlot(of: stream).map { streams[$0].progress }
    }

    /// What arrived of a stream's answer, if a valid final status did and the stream has not ended; `isComplete` is false.
    package func partialResponse(of stream: StreamID) -> Response? {
        openSlot(of: stream).flatMap { streams[$0].response(isComplete: false) }
    }

    /// The streams without a last event, by id. Take the events first.
    package func openStreams() -> [OpenStream] {
        streams.taken.filter { !streams[$0].isSettled }.map { slot in
            let stream = streams[slot]
            return OpenStream(
                stream: stream.id, tag: stream.tag, progress: stream.progress,
                partialResponse: stream.response(isComplete: false))
        }
        .sorted { $0.stream < $1.stream }
    }

    /// Streams that nghttp2 still holds, the silent ones included.
    package var streamsHeld: Int { streams.count }

    /// Whether `takeEvents` has any: `produce` can end streams too, where a violation is answered by RST_STREAM.
    package var hasEvents: Bool { !events.isEmpty }

    /// Moves the events that `produce` gave rise to into `list`. `receive` does so too.
    package func takeEvents(into list: inout [ClientEvent]) {
        list.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
    }

    /// Takes bytes of the peer, cut anywhere, and appends what they mean to `list`.
    ///
    /// - Throws: when the peer breaks the protocol. The events before that are in the list; the session is dead, its
    ///   GOAWAY can still be produced, and `openStreams` still answers.
    package func receive(_ bytes: UnsafeRawBufferPointer, into list: inout [ClientEvent]) throws(SessionError) {
        takeEvents(into: &list)
        // The callbacks append to the caller's memory.
        swap(&list, &events)
        defer { swap(&list, &events) }
        idleBytes += bytes.count
        try feed(bytes)
        // Informational answers, empty frames and frames that nobody knows are allowed, but not for ever.
        guard idleBytes <= configuration.maxIdleBytes else {
            throw end(.enhanceYourCalm, "\(configuration.maxIdleBytes) bytes and no answer among them")
        }
    }

    /// What tells the peer why this session died: the GOAWAY by itself, without the requests that may stand before it.
    /// Empty if the session lives, or if it was produced.
    package func lastWords() -> [UInt8] {
        guard failure != nil else { return [] }
        let start = producedBytes
        var bytes: [UInt8] = []
        try? produce(into: &bytes, upTo: .max)
        guard let verdict, verdict.start >= start else { return [] }
        return Array(bytes[Int(verdict.start - start)..<Int(verdict.end - start)])
    }

    // MARK: Slots

    /// The slot of a stream that has not settled.
    private func openSlot(of stream: StreamID) -> Int? {
        if let slot = slot(of: stream) { return streams[slot].isSettled ? nil : slot }
        // nghttp2 knows a stream from its first frame on; those that wait for the peer's limit are found by looking.
        return unproduced == 0 ? nil : streams.taken.first { streams[$0].id == stream && !streams[$0].isSettled }
    }

    /// The slot of a stream that nghttp2 has opened.
    func slot(of stream: StreamID) -> Int? {
        streams.slot(from: nghttp2_session_get_stream_user_data(native, stream))
    }

    /// Nothing is reported of the stream any more, and nothing kept for it.
    func silence(_ slot: Int) {
        streams[slot].silence()
    }

    // MARK: What nghttp2 reports (see ClientSession+Reception)

    override var ownQueuedFrames: Int { streams.count }
    override var isTerminating: Bool {
        // After a GOAWAY, or without ids, this can't be told; then the end shows when our GOAWAY is produced.
        !goAwayReceived && !idsExhausted && nghttp2_session_check_request_allowed(native) == 0
            && (nghttp2_session_want_read(native) != 0 || nghttp2_session_want_write(native) != 0)
    }

    override func frameBegan(_ header: nghttp2_frame_hd) { began(header) }
    override func headersBegan(_ frame: nghttp2_headers) { beganBlock(frame) }
    override func headerArrived(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        collect(name, value)
    }
    override func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) { arrived(frame) }
    override func invalidFrameArrived(_ header: nghttp2_frame_hd) { arrivedInvalid(header) }
    override func dataArrived(_ stream: StreamID, _ bytes: UnsafeBufferPointer<UInt8>) { arrivedBody(stream, bytes) }
    override func streamClosed(_ stream: StreamID, _ code: HTTP2ErrorCode) { closed(stream, code) }

    override func frameProduced(_ frame: ProducedFrame) {
        if frame.type == ProducedFrame.goAway { verdict = frame }
        guard frame.stream != 0, frame.type != Self.resetType, let slot = slot(of: frame.stream) else { return }
        if streams[slot].produced(frame) { unproduced -= 1 }
    }

    private static let resetType = UInt8(NGHTTP2_RST_STREAM.rawValue)

    override func readBody(
        _ source: UnsafeMutableRawPointer?, into buffer: UnsafeMutableRawBufferPointer
    ) -> BodyPart? {
        guard let slot = streams.slot(from: source), !streams[slot].isSettled else { return nil }
        let count = streams[slot].outgoing.read(into: buffer)
        return BodyPart(count: count, isLast: streams[slot].outgoing.isFinished)
    }
}
