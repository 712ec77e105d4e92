/// What a server session learnt from bytes.
package enum ServerEvent: Sendable, Equatable {
    /// A request's header block arrived. `endsStream`: there is no body, and `request` follows.
    case headersReceived(StreamID, HeaderBlock, endsStream: Bool)
    /// A request is complete.
    case request(Request)
    /// The client reset the stream; `closed` follows.
    case reset(StreamID, HTTP2ErrorCode)
    /// The stream is over, by whatever cause; the last event of each stream of which there was one.
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
