import CPushNghttp2

/// One side of a connection: its whole state in one value, with bytes in and bytes out.
///
/// nghttp2 finds the value by the pointer that `feed` and `pump` lend it for one call. During that call the value is
/// accessed only through that pointer. So one exclusive access covers a whole burst of bytes, whatever the callbacks
/// change. A callback never leaves the value: it calls neither the session's owner nor `feed` or `pump`.
protocol SessionSide: ~Copyable {
    var session: NativeSession { get set }
    /// How many frames of ours in nghttp2's queue do not count as answers to the peer.
    var ownQueuedFrames: Int { get }
    /// Whether nghttp2 decided to end the connection but has not yet produced the GOAWAY.
    var isTerminating: Bool { get }

    /// Called when a frame was produced.
    mutating func frameProduced(_ frame: ProducedFrame)

    /// Appends a piece of nghttp2's output to `buffer`: a frame, or a part of one.
    mutating func write(_ piece: UnsafeBufferPointer<UInt8>, into buffer: inout [UInt8])
}

/// How many answers to the peer may wait to be produced: acknowledgements, resets, window updates.
private let maxQueuedAnswers = 10_000
/// How many bytes are collected to find the reason in our own GOAWAY.
private let maxLastWords = 256 * 1_024

extension SessionSide where Self: ~Copyable {
    // MARK: Bytes out

    /// Appends whole frames to `buffer` until it holds at least `limit` bytes, or nothing is left.
    ///
    /// A frame and a header block are never split, so `buffer` may exceed `limit` by up to 64 KiB. After a failure, the
    /// GOAWAY that explains it is still produced; then nothing.
    mutating func produce(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        if !session.held.isEmpty, buffer.count < limit {
            buffer.append(contentsOf: session.held)
            session.held.removeAll(keepingCapacity: false)
        }
        try pump(into: &buffer, upTo: limit)
    }

    private mutating func pump(into buffer: inout [UInt8], upTo limit: Int) throws(SessionError) {
        let error = lend { (side, native) -> SessionError? in
            while buffer.count < limit, !side.pointee.session.isBroken {
                var bytes: UnsafePointer<UInt8>?
                let count = nghttp2_session_mem_send(native, &bytes)
                guard count > 0 else {
                    return count < 0 ? side.pointee.session.breakDown(SessionError(nativeCode: count)) : nil
                }
                side.pointee.write(UnsafeBufferPointer(start: bytes, count: count), into: &buffer)
            }
            return nil
        }
        if let error { throw error }
    }

    /// Appends a piece as it is, and counts its frames.
    @inline(__always)
    mutating func append(_ piece: UnsafeBufferPointer<UInt8>, to buffer: inout [UInt8]) {
        buffer.append(contentsOf: piece)
        var position = 0
        while let frame = session.walker.next(in: piece, at: &position) { frameProduced(frame) }
    }

    /// Appends raw `bytes` to everything that can be produced now.
    mutating func hold(foreign bytes: some Collection<UInt8>) throws(SessionError) {
        try gatherHeld(upTo: .max)
        session.held.append(contentsOf: bytes)
        session.walker.skipForeign(bytes.count)
    }

    private mutating func gatherHeld(upTo limit: Int) throws(SessionError) {
        // Moved out and back, so that no callback sees `held` while it grows.
        var bytes: [UInt8] = []
        swap(&bytes, &session.held)
        defer { swap(&bytes, &session.held) }
        try pump(into: &bytes, upTo: limit)
    }

    // MARK: Bytes in

    /// Passes bytes to nghttp2, which calls back with their meaning.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        if let failure = session.failure { throw failure }
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return }
        let code = lend { (_, native) in
            nghttp2_session_mem_recv(native, address.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        if let failure = session.failure { throw failure }
        if code < 0 { throw session.breakDown(SessionError(nativeCode: code)) }
        if nghttp2_session_get_outbound_queue_size(session.native) - ownQueuedFrames > maxQueuedAnswers {
            throw session.breakDown(SessionError(nativeCode: Int(NGHTTP2_ERR_FLOODED.rawValue)))
        }
        if isTerminating { throw listenToLastWords() }
    }

    /// nghttp2 queued a GOAWAY for a violation: produces it early, to learn the reason inside.
    private mutating func listenToLastWords() -> SessionError {
        do {
            try gatherHeld(upTo: maxLastWords)
        } catch {
            return error
        }
        return session.failure ?? session.fail(.violation(.protocolError, ""))
    }

    /// Ends the connection from outside nghttp2's calls.
    mutating func end(_ reason: HTTP2ErrorCode, _ detail: String) -> SessionError {
        session.terminate(reason, detail)
        return listenToLastWords()
    }

    // MARK: Lending

    /// Lends this value to the callbacks while `body` runs. `body` accesses it through the pointer only.
    private mutating func lend<Result>(
        _ body: (_ side: UnsafeMutablePointer<Self>, _ native: OpaquePointer) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &self) { side in
            let native = side.pointee.session.native
            nghttp2_session_set_user_data(native, side)
            defer { nghttp2_session_set_user_data(native, nil) }
            return body(side, native)
        }
    }
}
