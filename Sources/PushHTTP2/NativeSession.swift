import CPushNghttp2

/// The nghttp2 session of one side, the state that both sides share, and the end of the session when the peer breaks
/// the protocol.
///
/// nghttp2 calls back only within the two calls that `SessionSide` makes. Everything here may be used between those
/// calls and from within the callbacks.
struct NativeSession: ~Copyable {
    enum Side { case client, server }

    /// nghttp2 counts a CONTINUATION again for each piece of its 9-byte header, and allows 8 by default. This allows 8
    /// frames that arrive byte by byte.
    private static let maxContinuations = 72

    let native: OpaquePointer
    private let memory: SessionMemory
    /// Why the session failed; nil while it lives.
    private(set) var failure: SessionError?
    /// nghttp2 itself failed and must not be called any more.
    private(set) var isBroken = false
    /// Bytes taken from nghttp2 or injected. They are sent before all others.
    var held: [UInt8] = []
    var walker: FrameWalker
    /// The reason for our own termination, whose GOAWAY carries no text.
    private var verdict = ""
    /// GOAWAY frames with an error code that the caller queued and that are not produced yet.
    private var announcedGoAways = 0

    /// - Parameters:
    ///   - install: Sets the callbacks of the side.
    ///   - configure: Sets options that differ from the common ones.
    init(
        _ side: Side, install: (_ callbacks: OpaquePointer) -> Void, configure: (_ option: OpaquePointer) -> Void
    ) throws(SessionError) {
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
        install(callbacks)
        // Closed streams matter only to the priority tree of RFC 7540.
        nghttp2_option_set_no_closed_streams(option, 1)
        cpush_option_set_max_continuations(option, Self.maxContinuations)
        configure(option)
        let memory = SessionMemory()
        let code = memory.withAllocator { allocator in
            switch side {
            case .client: nghttp2_session_client_new3(&madeSession, callbacks, nil, option, allocator)
            case .server: nghttp2_session_server_new3(&madeSession, callbacks, nil, option, allocator)
            }
        }
        guard code == 0, let session = madeSession else {
            memory.release()
            throw SessionError(nativeCode: Int(code))
        }
        self.memory = memory
        native = session
        walker = FrameWalker(preface: side == .client ? 24 : 0)
    }

    deinit {
        nghttp2_session_del(native)
        memory.release()
    }

    // MARK: What is known

    var isAlive: Bool { failure == nil }

    /// How many bytes were produced in total.
    var producedBytes: UInt64 { walker.offset - UInt64(held.count) }

    /// Whether `produce` has work to do. (It may turn out to be bookkeeping without a byte.)
    var hasOutput: Bool { !held.isEmpty || (!isBroken && nghttp2_session_want_write(native) != 0) }

    /// Whether nothing will be sent or received any more: close the connection.
    var isFinished: Bool {
        !hasOutput && (isBroken || failure != nil || nghttp2_session_want_read(native) == 0)
    }

    // MARK: The end

    /// Marks the session as failed. Its GOAWAY can still be produced.
    @discardableResult
    mutating func fail(_ error: SessionError) -> SessionError {
        let first = failure ?? error
        failure = first
        return first
    }

    /// Marks the session and nghttp2 as failed.
    @discardableResult
    mutating func breakDown(_ error: SessionError) -> SessionError {
        isBroken = true
        return fail(error)
    }

    /// Ends the connection for a violation that nghttp2 does not detect.
    mutating func terminate(_ reason: HTTP2ErrorCode, _ detail: String) {
        verdict = detail
        check(nghttp2_session_terminate_session(native, reason.rawValue))
    }

    /// Checks the result of a call that can fail only for lack of memory.
    mutating func check(_ code: Int32) {
        if code < 0, nghttp2_is_fatal(code) != 0 { breakDown(SessionError(nativeCode: Int(code))) }
    }

    /// A frame left nghttp2. If it is a GOAWAY with an error that our caller did not queue, nghttp2 found a violation.
    mutating func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
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

    // MARK: What both sides may ask for

    /// Queues a PING with this payload.
    mutating func ping(_ payload: UInt64) {
        guard isAlive else { return }
        check(
            withUnsafeBytes(of: payload.bigEndian) {
                nghttp2_submit_ping(native, 0, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
            })
    }

    mutating func submitGoAway(last: StreamID, code: HTTP2ErrorCode, debugData: [UInt8]) {
        guard isAlive else { return }
        // The opaque data must fit into one frame of the smallest allowed maximum size.
        let data = debugData.prefix(16_384 - 8)
        let result = data.withUnsafeBufferPointer {
            nghttp2_submit_goaway(native, 0, last, code.rawValue, $0.baseAddress, $0.count)
        }
        check(result)
        if result == 0, code != .noError { announcedGoAways += 1 }
    }

    mutating func submitReset(_ stream: StreamID, code: HTTP2ErrorCode) {
        guard isAlive else { return }
        check(nghttp2_submit_rst_stream(native, 0, stream, code.rawValue))
    }

    func submitSettings(_ entries: [nghttp2_settings_entry]) throws(SessionError) {
        let code = entries.withUnsafeBufferPointer {
            nghttp2_submit_settings(native, 0, $0.baseAddress, $0.count)
        }
        guard code == 0 else { throw SessionError(nativeCode: Int(code)) }
    }

    /// Sets how many body bytes the peer may send, over all streams, before it must wait for us.
    func setConnectionWindow(_ bytes: Int) throws(SessionError) {
        let code = nghttp2_session_set_local_window_size(native, 0, 0, Int32(clamping: bytes))
        guard code == 0 else { throw SessionError(nativeCode: Int(code)) }
    }

    /// How many body bytes were received and not given back by WINDOW_UPDATE; stream 0 is the connection.
    func unreturnedBytes(of stream: StreamID) -> Int {
        let bytes =
            stream == 0
            ? nghttp2_session_get_effective_recv_data_length(native)
            : nghttp2_session_get_stream_effective_recv_data_length(native, stream)
        return max(0, Int(bytes))
    }

    /// Queues a WINDOW_UPDATE; stream 0 is the connection. It is left out if the window would exceed 2^31-1.
    mutating func submitWindowUpdate(_ stream: StreamID, by bytes: Int) {
        guard isAlive, bytes > 0 else { return }
        check(nghttp2_submit_window_update(native, 0, stream, Int32(clamping: bytes)))
    }

    /// Returns memory to the system that is needed again with the next frame. Only without streams and output.
    func rest() { memory.rest() }

    static func payload(of ping: nghttp2_ping) -> UInt64 {
        withUnsafeBytes(of: ping.opaque_data) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    static func debugData(of goAway: nghttp2_goaway) -> [UInt8] {
        Array(UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
    }
}
