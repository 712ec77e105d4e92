import CPushNghttp2

/// Gives the bytes of bodies back to the client. nghttp2 counts them for each window and sends WINDOW_UPDATE when half
/// of it was consumed. Bytes of streams that were reset it gives back by itself.
extension ServerCore {
    /// Body bytes were read.
    mutating func consumed(_ bytes: Int, of stream: StreamID) {
        guard keepsConnectionWindow || keepsStreamWindows else {
            return session.check(nghttp2_session_consume(session.native, stream, bytes))
        }
        if !keepsConnectionWindow { session.check(nghttp2_session_consume_connection(session.native, bytes)) }
        if !keepsStreamWindows { session.check(nghttp2_session_consume_stream(session.native, stream, bytes)) }
        if case .bodyRead(stream, let earlier)? = events.last {
            events[events.count - 1] = .bodyRead(stream, earlier + bytes)
        } else {
            events.append(.bodyRead(stream, bytes))
        }
    }

    mutating func submit(_ settings: ServerSettings) throws(SessionError) {
        if settings.initialWindowSize != nil { changesStreamWindows = true }
        try session.submitSettings(settings.nativeEntries)
    }

    /// The client acknowledged SETTINGS that may have made windows smaller, even negative (RFC 9113, section 6.9.2).
    /// What was consumed may now be half of a window, and a client that waits for it sends nothing more.
    mutating func reviewStreamWindows() {
        guard !keepsStreamWindows else { return }
        for stream in unfinishedStreams { session.check(nghttp2_session_consume_stream(session.native, stream, 0)) }
    }

    var unfinishedStreams: [StreamID] {
        streams.taken.compactMap { streams[$0].isReceived ? nil : streams[$0].id }
    }

    var unreturnedConnectionBytes: Int { session.unreturnedBytes(of: 0) }

    var unreturnedBytes: [StreamID: Int] {
        var unreturned: [StreamID: Int] = [:]
        for stream in [0] + unfinishedStreams {
            let bytes = session.unreturnedBytes(of: stream)
            if bytes > 0 { unreturned[stream] = bytes }
        }
        return unreturned
    }

    mutating func giveBack(_ bytes: Int?, to stream: StreamID) {
        let unreturned = session.unreturnedBytes(of: stream)
        session.submitWindowUpdate(stream, by: min(bytes ?? unreturned, unreturned))
    }
}
