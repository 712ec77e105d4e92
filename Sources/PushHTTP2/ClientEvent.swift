/// What a client session learnt from bytes. A stream gets exactly one of `response` and `closed`, as its last event.
package enum ClientEvent: Sendable, Equatable {
    /// A SETTINGS frame of the peer arrived; the value is what all of them add up to.
    case settings(PeerSettings)
    /// A valid final status arrived and the stream has ended.
    case response(Response)
    /// The stream ended without a valid final status. `refusedStream`: the peer did not process the request.
    ///
    /// `isRequestWhole`: its END_STREAM was produced. `isMalformed`: it is the answer that breaks the rules – no status, an
    /// odd one, an invalid frame – and the code is ours, not the peer's.
    case closed(StreamID, tag: Int, HTTP2ErrorCode, isRequestWhole: Bool = true, isMalformed: Bool = false)
    /// The peer opens no door for new streams. It is followed by `closed(…, .refusedStream)` for each stream above
    /// `lastStreamID` and each that was never produced, in order of their ids.
    case goAway(lastStreamID: StreamID, HTTP2ErrorCode, debugData: [UInt8])
    /// The peer answered the PING with this payload.
    case pong(UInt64)

    /// The stream that ends with this event.
    var endedStream: StreamID? {
        switch self {
        case .response(let response): response.stream
        case .closed(let stream, _, _, _, _): stream
        case .settings, .goAway, .pong: nil
        }
    }
}
