import CPushNghttp2

/// What the client and the server side of a connection have in common: the nghttp2 session, bytes in and bytes out,
/// and the end of it all when the peer breaks the protocol.
///
/// Not thread-safe and not Sendable: a session is confined to its owner. It knows no socket and no clock.
///
/// The methods in the section "What nghttp2 reports" are called by nghttp2 from within `feed` and `pump`; the sides
/// override what concerns them.
package class NativeSession {
    enum Side { case client, server }

    /// A part of a body, copied into a frame.
    struct BodyPart {
        var count: Int
        var isLast: Bool
    }

    /// nghttp2 counts a CONTINUATION again for each piece its 9-byte header arrives in, and allows 8 by default. This
    /// allows 8 frames in pieces of a byte.
    private static let maxContinuations = 72
    /// Answers to the peer that may wait to be produced: acknowledgements, resets, window updates.
    private static let maxQueuedAnswers = 10_000
    /// Bound of what is gathered to find the reason in our own GOAWAY.
    private static let maxLastWords = 256 * 1_024

    let native: OpaquePointer
    /// Why the session is dead; nil while it lives.
    package private(set) var failure: SessionError?
    /// nghttp2 itself failed and must not be called any more.
    private var isBroken = false
    /// Bytes already taken from nghttp2, or given raw, that go out before any other.
    private var held: [UInt8] = []
    private var walker: FrameWalker
    /// The reason for a termination of ours, whose GOAWAY carries no text.
    private var verdict = ""
    /// GOAWAY frames with an error code that the caller queued and that were not produced yet.
    private var announcedGoAways = 0

    init(_ side: Side, configure: (OpaquePointer) -> Void) throws(SessionError) {
        var madeCallbacks: OpaquePointer?
        var madeOption: OpaquePointer?
        var madeSession: OpaquePointer?
        defer {
            nghttp2_session_callbacks_del(madeCallbacks)
            nghttp2_option_del(madeOption)
        }
        guard nghttp2_session_callbacks_new(&madeCallbacks) == 0, let callbacks = madeCallbacks,
            nghttp2_option_new(&madeOption) == 0, let option = madeOption
        else { throw SessionError(nativeCode: Int(NGHTTP2_ERR_NOMEM.rawValue)) }
        SessionCallbacks.install(in: callbacks)
        // Closed streams are of use to RFC 7540's priority tree only.
        nghttp2_option_set_no_closed_streams(option, 1)
        cpush_option_set_max_continuations(option, Self.maxContinuations)
        configure(option)
        let code =
            switch side {
            case .client: nghttp2_session_client_new2(&madeSession, callbacks, nil, option)
            case .server: nghttp2_session_server_new2(&madeSession, callbacks, nil, option)
            }
        guard code == 0, let session = madeSession else { throw SessionError(nativeCode: Int(code)) }
        native = session
        walker = FrameWalker(preface: side == .client ? 24 : 0)
        nghttp2_session_set_user_data(session, SessionCallbacks.userData(of: self))
    }

    deinit {
        nghttp2_session_del(native)
    }

    // MARK: Bytes out

    /// Bytes ever produced.
    package final var producedBytes: UInt64 { walker.offset - UInt64(held.count) }

    /// Whether `produce` has something to do. (It may then turn out to be bookkeeping only, without a byte.)
    package final var hasOutput: Bool {
        !held.isEmpty || (!isBroken && nghttp2_session_want_write(native) != 0)
    }

    /// Whether nothing will come in or go out any more: close the connection.
    package final var isFinished: Bool {
        !hasOutput && (isBroken || failure != nil || nghttp2_session_want_read(native) == 0)
    }

    /// Appends whole frames to `buffer` until it holds `limit` bytes or more, or nothing is left.
    ///
    /// A frame is never cut, so up to 16 KiB more than `limit` may lie there. After the session died, what explains
    /// its death to the peer (GOAWAY) is still produced; then nothing.
    package final func produce(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        if !held.isEmpty, buffer.count < limit {
            buffer.append(contentsOf: held)
            held.removeAll(keepingCapacity: false)
        }
        try pump(into: &buffer, upTo: limit)
    }

    private func pump(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        while buffer.count < limit, !isBroken {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(native, &bytes)
            guard count > 0 else {
                if count < 0 { throw breakDown(SessionError(nativeCode: count)) }
                return
            }
            let piece = UnsafeBufferPointer(start: bytes, count: count)
            buffer.append(contentsOf: piece)
            walker.walk(piece) { frameProduced($0) }
        }
    }

    /// Puts `bytes` behind everything that can be produced now, as they are.
    final func hold(foreign bytes: some Collection<UInt8>) throws(SessionError) {
        try gatherHeld(upTo: .max)
        held.append(contentsOf: bytes)
        walker.skipForeign(bytes.count)
    }

    private func gatherHeld(upTo limit: Int) throws(SessionError) {
        // Moved out and back, so that no callback meets `held` while it grows.
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        defer { swap(&bytes, &held) }
        try pump(into: &bytes, upTo: limit)
    }

    // MARK: Bytes in

    /// Gives bytes to nghttp2, which calls back with what they mean.
    final func feed(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        if let failure { throw failure }
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
        let code = nghttp2_session_mem_recv(native, address.assumingMemoryBound(to: UInt8.self), bytes.count)
        if let failure { throw failure }
        if code < 0 { throw breakDown(SessionError(nativeCode: code)) }
        if nghttp2_session_get_outbound_queue_size(native) - ownQueuedFrames > Self.maxQueuedAnswers {
            throw breakDown(SessionError(nativeCode: Int(NGHTTP2_ERR_FLOODED.rawValue)))
        }
        if isTerminating { throw listenToLastWords() }
    }

    /// nghttp2 queued a GOAWAY for a violation, with its reason inside: takes it out, to learn the reason.
    private func listenToLastWords() -> SessionError {
        do {
            try gatherHeld(upTo: Self.maxLastWords)
        } catch {
            return error
        }
        return failure ?? fail(.violation(.protocolError, ""))
    }

    /// The session is dead, but its GOAWAY can still be produced.
    @discardableResult
    private func fail(_ error: SessionError) -> SessionError {
        let first = failure ?? error
        failure = first
        return first
    }

    /// The session is dead, and nghttp2 with it.
    @discardableResult
    private func breakDown(_ error: SessionError) -> SessionError {
        isBroken = true
        return fail(error)
    }

    /// Ends the connection for a violation that nghttp2 lets pass.
    final func terminate(_ reason: HTTP2ErrorCode, _ detail: String) {
        verdict = detail
        check(nghttp2_session_terminate_session(native, reason.rawValue))
    }

    /// Ends the connection from outside of nghttp2's calls.
    final func end(_ reason: HTTP2ErrorCode, _ detail: String) -> SessionError {
        terminate(reason, detail)
        return listenToLastWords()
    }

    /// Takes note of the result of a call that fails only for want of memory.
    final func check(_ code: Int32) {
        if nghttp2_is_fatal(code) != 0 { breakDown(SessionError(nativeCode: Int(code))) }
    }

    // MARK: What both sides may ask for

    /// Queues a PING with this payload.
    package final func ping(_ payload: UInt64) {
        guard isAlive else { return }
        check(
            withUnsafeBytes(of: payload.bigEndian) {
                nghttp2_submit_ping(native, 0, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
            })
    }

    final var isAlive: Bool { failure == nil }

    final func submitGoAway(last: StreamID, _ code: HTTP2ErrorCode, _ debugData: [UInt8]) {
        guard isAlive else { return }
        // The opaque data must fit one frame of the smallest allowed maximum.
        let data = debugData.prefix(16_384 - 8)
        let result = data.withUnsafeBufferPointer {
            nghttp2_submit_goaway(native, 0, last, code.rawValue, $0.baseAddress, $0.count)
        }
        check(result)
        if result == 0, code != .noError { announcedGoAways += 1 }
    }

    final func submitReset(_ stream: StreamID, _ code: HTTP2ErrorCode) {
        guard isAlive else { return }
        check(nghttp2_submit_rst_stream(native, 0, stream, code.rawValue))
    }

    final func submitSettings(_ entries: [nghttp2_settings_entry]) throws(SessionError) {
        let code = entries.withUnsafeBufferPointer {
            nghttp2_submit_settings(native, 0, $0.baseAddress, $0.count)
        }
        guard code == 0 else { throw SessionError(nativeCode: Int(code)) }
    }

    /// Lets the peer send so many bytes of bodies, over all streams, before it waits for us.
    final func setConnectionWindow(_ bytes: Int) throws(SessionError) {
        let code = nghttp2_session_set_local_window_size(native, 0, 0, Int32(clamping: bytes))
        guard code == 0 else { throw SessionError(nativeCode: Int(code)) }
    }

    static func payload(of ping: nghttp2_ping) -> UInt64 {
        withUnsafeBytes(of: ping.opaque_data) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    static func debugData(of goAway: nghttp2_goaway) -> [UInt8] {
        Array(UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
    }

    // MARK: What nghttp2 reports

    /// Frames of ours in nghttp2's queue that say nothing about the peer's behavior.
    var ownQueuedFrames: Int { 0 }
    /// Whether nghttp2 decided to end the connection and has not yet produced the GOAWAY.
    var isTerminating: Bool { false }

    func frameBegan(_ header: nghttp2_frame_hd) {}
    func headersBegan(_ frame: nghttp2_headers) {}
    func headerArrived(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {}
    func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) {}
    func invalidFrameArrived(_ header: nghttp2_frame_hd) {}
    func dataArrived(_ stream: StreamID, _ bytes: UnsafeBufferPointer<UInt8>) {}
    func streamClosed(_ stream: StreamID, _ code: HTTP2ErrorCode) {}
    func frameProduced(_ frame: ProducedFrame) {}
    func readBody(_ source: UnsafeMutableRawPointer?, into buffer: UnsafeMutableRawBufferPointer) -> BodyPart? { nil }

    /// A frame left nghttp2. A GOAWAY with an error that nobody asked for is nghttp2's verdict on the peer.
    func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
        guard frame.pointee.hd.type == UInt8(NGHTTP2_GOAWAY.rawValue) else { return }
        let goAway = frame.pointee.goaway
        guard goAway.error_code != HTTP2ErrorCode.noError.rawValue else { return }
        guard announcedGoAways == 0 else {
            announcedGoAways -= 1
            return
        }
        let detail = String(decoding: Self.debugData(of: goAway), as: UTF8.self)
        fail(.violation(HTTP2ErrorCode(rawValue: goAway.error_code), detail.isEmpty ? verdict : detail))
    }
}
