/// An event of a server session.
package enum ServerEvent: Sendable, Equatable {
    /// A request's header block arrived. `endsStream`: there is no body, and `request` follows.
    case headersReceived(StreamID, HeaderBlock, endsStream: Bool)
    /// Bytes of a request's body arrived. Reported only if the connection's or the streams' windows are kept.
    case bodyRead(StreamID, Int)
    /// A request is complete.
    case request(Request)
    /// The client reset the stream; `closed` follows.
    case reset(StreamID, HTTP2ErrorCode)
    /// The stream ended for any reason. The last event of each stream that had one.
    case closed(StreamID, HTTP2ErrorCode)
    /// A SETTINGS frame of the client arrived.
    case settings(PeerSettings)
    /// The client applied the oldest SETTINGS not acknowledged so far.
    case settingsAcknowledged
    case goAway(lastStreamID: StreamID, HTTP2ErrorCode, debugData: [UInt8])
    /// The client sent a PING. It is answered unless `answersPings` is false.
    case ping(UInt64)
    /// The client answered our PING.
    case pong(UInt64)
}

/// A request as the server received it.
package struct Request: Sendable, Hashable {
    package var stream: StreamID
    package var headers: HeaderBlock
    /// False if fields beyond the bound were left out.
    package var hasAllHeaders: Bool
    /// The body, up to the bound.
    package var body: [UInt8]
    /// How many bytes of the body arrived, including those beyond the bound.
    package var bodyLength: Int

    /// Whether part of the body was left out.
    package var isTruncated: Bool { bodyLength > body.count }
}
