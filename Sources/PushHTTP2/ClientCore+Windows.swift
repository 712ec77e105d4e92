import CPushNghttp2

/// Sends bodies in order, and tells how much the peer takes.
extension ClientCore {
    /// What the peer takes now.
    mutating func sendWindow() -> SendWindow {
        let connection = Int(nghttp2_session_get_remote_window_size(session.native)) - bodies.unsent
        let stream = Int(
            nghttp2_session_get_remote_settings(session.native, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE))
        let isClear = bodies.unsent == 0
        return SendWindow(
            connection: connection, stream: stream,
            isBlocked: !isClear && (connection < 0 || bodies.awaitsLongest || firstBodyIsShort()), isClear: isClear,
            granted: bodies.granted)
    }

    /// Whether the stream whose turn it is needs more bytes than its window has.
    private mutating func firstBodyIsShort() -> Bool {
        findTurn()
        guard !bodies.isOver, let slot = slot(of: StreamID(bodies.turn)) else { return false }
        let window = nghttp2_session_get_stream_remote_window_size(session.native, StreamID(bodies.turn))
        return streams[slot].outgoing.unsent > Int(window)
    }

    /// Passes over the streams that have sent their body or have ended.
    private mutating func findTurn() {
        while !bodies.isOver {
            let slot = slot(of: StreamID(bodies.turn))
            if let slot, !streams[slot].isFinished, streams[slot].outgoing.unsent > 0 { return }
            bodies.pass()
        }
    }

    mutating func readBody(
        _ source: UnsafeMutableRawPointer?, into buffer: UnsafeMutableRawBufferPointer
    ) -> BodyReading {
        guard let slot = streams.slot(from: source), !streams[slot].isFinished else { return .lost }
        let stream = Int(streams[slot].id)
        if stream != bodies.turn {
            findTurn()
            guard stream == bodies.turn else {
                bodies.holdBack()
                return .later
            }
        }
        let part = streams[slot].outgoing.read(into: buffer)
        bodies.unsent -= part.count
        if part.isLast { bodies.pass() }
        return .part(part)
    }

    /// Lets the stream whose turn it is go on, if it waits for its turn. Not from within a callback.
    mutating func resumeTurn() {
        guard bodies.holdsBack else { return }
        findTurn()
        guard !bodies.isOver else { return bodies.letAllGo() }
        // An error says that this one did not wait.
        session.check(nghttp2_session_resume_data(session.native, StreamID(bodies.turn)))
    }

    /// The peer takes more bytes. What it grants to other streams than the one whose turn it is helps nobody who waits.
    mutating func peerGranted(_ update: nghttp2_window_update) {
        if update.hd.stream_id != 0 { findTurn() }
        guard update.hd.stream_id == 0 || Int(update.hd.stream_id) == bodies.turn else { return }
        bodies.granted(Int(update.window_size_increment))
    }

    /// The rest of the body of a stream that ends is not sent.
    mutating func dropBody(of slot: Int) { bodies.unsent -= streams[slot].outgoing.unsent }
}

/// What the peer's flow control lets a client send now (RFC 9113, section 5.2).
package struct SendWindow: Sendable, Equatable {
    /// How many body bytes the connection takes, less those of the requests that have begun. Negative while a request
    /// that has begun waits for more.
    package var connection: Int
    /// How many body bytes each new stream takes.
    package var stream: Int
    /// A request that has begun waits for bytes of its stream or of the connection.
    package var isBlocked: Bool
    /// No request that has begun has bytes left to be sent.
    package var isClear: Bool
    /// How many bytes the peer has granted for what was to be sent, in total. It only grows.
    package var granted: UInt64

    package init(
        connection: Int = 65_535, stream: Int = 65_535, isBlocked: Bool = false, isClear: Bool = true,
        granted: UInt64 = 0
    ) {
        self.connection = connection
        self.stream = stream
        self.isBlocked = isBlocked
        self.isClear = isClear
        self.granted = granted
    }
}
