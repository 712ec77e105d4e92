import CPushNghttp2

// The C side of a session: each function finds the session in nghttp2's user data and passes the call on. The pointer
// is unretained and valid in every call, because nghttp2 calls back only inside calls that the session itself makes.

/// Calls `body` with the session behind `userData`; a callback without one has nothing to do.
private func withSession(_ userData: UnsafeMutableRawPointer?, _ body: (NativeSession) -> Void) -> Int32 {
    guard let userData else { return 0 }
    Unmanaged<NativeSession>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
    return 0
}

private func onBeginFrame(
    _: OpaquePointer?, header: UnsafePointer<nghttp2_frame_hd>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let header else { return 0 }
    return withSession(userData) { $0.frameBegan(header.pointee) }
}

private func onBeginHeaders(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
    return withSession(userData) { $0.headersBegan(frame.pointee.headers) }
}

private func onHeader(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?, nameCount: Int,
    value: UnsafePointer<UInt8>?, valueCount: Int, _: UInt8, userData: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(userData) {
        $0.headerArrived(
            name: UnsafeBufferPointer(start: name, count: nameCount),
            value: UnsafeBufferPointer(start: value, count: valueCount))
    }
}

private func onFrameReceived(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    return withSession(userData) { $0.frameArrived(frame) }
}

private func onInvalidFrame(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, _: Int32, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    return withSession(userData) { $0.invalidFrameArrived(frame.pointee.hd) }
}

private func onDataChunk(
    _: OpaquePointer?, _: UInt8, stream: Int32, data: UnsafePointer<UInt8>?, count: Int,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(userData) { $0.dataArrived(stream, UnsafeBufferPointer(start: data, count: count)) }
}

private func onStreamClose(
    _: OpaquePointer?, stream: Int32, code: UInt32, userData: UnsafeMutableRawPointer?
) -> Int32 {
    withSession(userData) { $0.streamClosed(stream, HTTP2ErrorCode(rawValue: code)) }
}

private func onFrameSent(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    return withSession(userData) { $0.frameSent(frame) }
}

private func readBody(
    _: OpaquePointer?, stream: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>?, source: UnsafeMutablePointer<nghttp2_data_source>?,
    userData: UnsafeMutableRawPointer?
) -> Int {
    var part: NativeSession.BodyPart?
    _ = withSession(userData) {
        part = $0.readBody(
            source?.pointee.ptr, into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
    }
    // This code makes nghttp2 reset the stream, so a body that is gone never looks like one that ended.
    guard let part else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    if part.isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return part.count
}

enum SessionCallbacks {
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, onBeginFrame)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrameReceived)
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, onInvalidFrame)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onDataChunk)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, onFrameSent)
    }

    /// What nghttp2 hands back to the callbacks. It does not keep the session alive: the session owns nghttp2's part.
    static func userData(of session: NativeSession) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(session).toOpaque()
    }

    /// Lends the source of a body that lies in the slot behind `pointer`; nil for an empty one.
    static func withBodySource<Result>(
        _ pointer: UnsafeMutableRawPointer?, isEmpty: Bool, _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        guard !isEmpty else { return body(nil) }
        let provider = nghttp2_data_provider(source: nghttp2_data_source(ptr: pointer), read_callback: readBody)
        return withUnsafePointer(to: provider, body)
    }
}
