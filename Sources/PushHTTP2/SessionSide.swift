import CPushNghttp2

/// One side of a connection: its whole state in one value, and bytes in and bytes out.
///
/// nghttp2 finds the value by the pointer that `feed` and `pump` lend it for the time of a call, in which it is reached by
/// that pointer only. So one exclusive access covers a whole burst of bytes, whatever the callbacks change. A callback
/// never leaves the value: it calls neither the session's owner nor `feed` and `pump`.
protocol SessionSide: ~Copyable {
    var session: NativeSession { get set }
    /// Frames of ours in nghttp2's queue that say nothing about the peer's behavior.
    var ownQueuedFrames: Int { get }
    /// Whether nghttp2 decided to end the connection and has not yet produced the GOAWAY.
    var isTerminating: Bool { get }

    /// A frame was produced.
    mutating func frameProduced(_ frame: ProducedFrame)
}

/// Answers to the peer that may wait to be produced: acknowledgements, resets, window updates.
private let maxQueuedAnswers = 10_000
/// Bound of what is gathered to find the reason in our own GOAWAY.
private let maxLastWords = 256 * 1_024

extension SessionSide where Self: ~Copyable {
    // MARK: Bytes out

    /// Appends whole frames to `buffer` until it holds `limit` bytes or more, or nothing is left.
    ///
    /// A frame is never cut, so up to 16 KiB more than `limit` may lie there. After the session died, what explains
    /// its death to the peer (GOAWAY) is still produced; then nothing.
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
                let piece = UnsafeBufferPointer(start: bytes, count: count)
                buffer.append(contentsOf: piece)
                var position = 0
                while let frame = side.pointee.session.walker.next(in: piece, at: &position) {
                    side.pointee.frameProduced(frame)
                }
            }
            return nil
        }
        if let error { throw error }
    }

    /// Puts `bytes` behind everything that can be produced now, as they are.
    mutating func hold(foreign bytes: some Collection<UInt8>) throws(SessionError) {
        try gatherHeld(upTo: .max)
        session.held.append(contentsOf: bytes)
        session.walker.skipForeign(bytes.count)
    }

    private mutating func gatherHeld(upTo limit: Int) throws(SessionError) {
        // Moved out and back, so that no callback meets `held` while it grows.
        var bytes: [UInt8] = []
        swap(&bytes, &session.held)
        defer { swap(&bytes, &session.held) }
        try pump(into: &bytes, upTo: limit)
    }

    // MARK: Bytes in

    /// Gives bytes to nghttp2, which calls back with what they mean.
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

    /// nghttp2 queued a GOAWAY for a violation, with its reason inside: takes it out, to learn the reason.
    private mutating func listenToLastWords() -> SessionError {
        do {
            try gatherHeld(upTo: maxLastWords)
        } catch {
            return error
        }
        return session.failure ?? session.fail(.violation(.protocolError, ""))
    }

    /// Ends the connection from outside of nghttp2's calls.
    mutating func end(_ reason: HTTP2ErrorCode, _ detail: String) -> SessionError {
        session.terminate(reason, detail)
        return listenToLastWords()
    }

    // MARK: Lending

    /// Lends this value to the callbacks while `body` runs, which reaches it through the pointer only.
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
