import CPushNghttp2

// The C side of a server session. Each function forwards nghttp2's call to the value that `SessionSide` lends for the
// duration of a call. Without a value it does nothing.

private func server(_ userData: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ServerCore>? {
    userData?.assumingMemoryBound(to: ServerCore.self)
}

private func onBeginHeaders(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame, frame.pointee.hd.type == ProducedFrame.headers else { return 0 }
    server(userData)?.pointee.beganBlock(frame.pointee.headers)
    return 0
}

private func onHeader(
    _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?, nameCount: Int,
    value: UnsafePointer<UInt8>?, valueCount: Int, _: UInt8, userData: UnsafeMutableRawPointer?
) -> Int32 {
    server(userData)?.pointee.collect(
        UnsafeBufferPointer(start: name, count: nameCount), UnsafeBufferPointer(start: value, count: valueCount))
    return 0
}

private func onFrameReceived(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    server(userData)?.pointee.arrived(frame)
    return 0
}

private func onDataChunk(
    _: OpaquePointer?, _: UInt8, stream: Int32, data: UnsafePointer<UInt8>?, count: Int,
    userData: UnsafeMutableRawPointer?
) -> Int32 {
    server(userData)?.pointee.arrivedBody(on: stream, UnsafeBufferPointer(start: data, count: count))
    return 0
}

private func onStreamClose(
    _: OpaquePointer?, stream: Int32, code: UInt32, userData: UnsafeMutableRawPointer?
) -> Int32 {
    server(userData)?.pointee.closed(stream, code: HTTP2ErrorCode(rawValue: code))
    return 0
}

private func onFrameSent(
    _: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, userData: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame else { return 0 }
    server(userData)?.pointee.frameSent(frame)
    return 0
}

private func readBody(
    _: OpaquePointer?, _: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>?, source: UnsafeMutablePointer<nghttp2_data_source>?,
    userData: UnsafeMutableRawPointer?
) -> Int {
    let reading = server(userData)?.pointee.readBody(
        source?.pointee.ptr, into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
    return BodySource.result(of: reading ?? .lost, flags: flags)
}

enum ServerCallbacks {
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrameReceived)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onDataChunk)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, onFrameSent)
    }

    /// Passes `body` the source of the body in the slot behind `pointer`; nil for an empty body.
    static func withBodySource<Result>(
        _ pointer: UnsafeMutableRawPointer?, isEmpty: Bool, _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        isEmpty ? body(nil) : BodySource.lend(pointer, read: readBody, body)
    }
}
