/// An event of a client session. Each stream gets exactly one `response` or `closed`, as its last event.
package enum ClientEvent: Sendable, Equatable {
    /// A SETTINGS frame of the peer arrived. The value combines all SETTINGS so far.
    case settings(PeerSettings)
    /// A valid final status arrived and the stream has ended.
    case response(Response)
    /// The stream ended without a valid final status. `refusedStream`: the peer did not process the request.
    ///
    /// `isRequestWhole`: its END_STREAM was produced. `isMalformed`: the answer breaks the rules (no status, an invalid
    /// one, or an invalid frame), and the code is ours, not the peer's.
    case closed(StreamID, tag: Int, HTTP2ErrorCode, isRequestWhole: Bool = true, isMalformed: Bool = false)
    /// The peer accepts no new streams. `closed(…, .refusedStream)` follows, in order of ids, for each stream above
    /// `lastStreamID` and each stream without a produced frame.
    case goAway(lastStreamID: StreamID, HTTP2ErrorCode, debugData: [UInt8])
    /// The peer answered the PING with this payload.
    case pong(UInt64)

    /// The status of a response; nil for all other events.
    package var status: Int? { if case .response(let response) = self { response.status } else { nil } }

    /// The stream that ends with this event.
    var endedStream: StreamID? {
        switch self {
        case .response(let response): response.stream
        case .closed(let stream, _, _, _, _): stream
        case .settings, .goAway, .pong: nil
        }
    }
}

/// The answer to one request.
package struct Response: Sendable, Hashable {
    package var stream: StreamID
    /// The tag passed to `submit`.
    package var tag: Int
    /// 200…599.
    package var status: Int
    package var headers: HeaderBlock
    package var body: [UInt8]
    /// False if the stream or the session ended early, or if headers or body were cut at a bound. The status is valid
    /// in any case.
    package var isComplete: Bool
}
