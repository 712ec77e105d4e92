/// A frame that violates one rule of RFC 9113 each. A correct client ends the connection with the given error.
@nonexhaustive public enum BrokenFrame: String, Sendable, Hashable, CaseIterable {
    /// A frame of 16,385 bytes: FRAME_SIZE_ERROR (section 4.2).
    case tooLong
    /// PING of seven bytes: FRAME_SIZE_ERROR (section 6.7).
    case pingOfSevenBytes
    /// SETTINGS of five bytes: FRAME_SIZE_ERROR (section 6.5).
    case settingsOfFiveBytes
    /// SETTINGS on stream 1: PROTOCOL_ERROR (section 6.5).
    case settingsOnStream
    /// SETTINGS with INITIAL_WINDOW_SIZE 2^31: FLOW_CONTROL_ERROR (section 6.5.2).
    case settingsWithHugeWindow
    /// SETTINGS with ENABLE_PUSH 1, which a server must not send: PROTOCOL_ERROR (section 6.5.2).
    case settingsEnablingPush
    /// DATA on stream 0: PROTOCOL_ERROR (section 6.1).
    case dataOnStreamZero
    /// HEADERS on stream 0: PROTOCOL_ERROR (section 6.2).
    case headersOnStreamZero
    /// HEADERS on stream 2, which was never promised: PROTOCOL_ERROR (section 5.1.1).
    case headersOnServerStream
    /// CONTINUATION without a preceding HEADERS: PROTOCOL_ERROR (section 6.10).
    case continuationAlone
    /// WINDOW_UPDATE by 0 on the connection: PROTOCOL_ERROR (section 6.9).
    case windowUpdateOfZero
    /// WINDOW_UPDATE beyond 2^31-1 on the connection: FLOW_CONTROL_ERROR (section 6.9.1).
    case windowOverflow
    /// RST_STREAM on a stream that was never opened: PROTOCOL_ERROR (section 6.4).
    case resetOfIdleStream
    /// GOAWAY on stream 1: PROTOCOL_ERROR (section 6.8).
    case goAwayOnStream
    /// The text of an HTTP/1.1 answer in place of a frame.
    case http1Text

    var bytes: [UInt8] {
        let number = RawFrame.number
        return switch self {
        case .tooLong: RawFrame.frame(0xFA, [UInt8](repeating: 0, count: 16_385))
        case .pingOfSevenBytes: RawFrame.frame(RawFrame.ping, [UInt8](repeating: 0, count: 7))
        case .settingsOfFiveBytes: RawFrame.frame(RawFrame.settings, [UInt8](repeating: 0, count: 5))
        case .settingsOnStream: RawFrame.frame(RawFrame.settings, stream: 1)
        case .settingsWithHugeWindow: RawFrame.frame(RawFrame.settings, number(4, 2) + number(0x8000_0000, 4))
        case .settingsEnablingPush: RawFrame.frame(RawFrame.settings, number(2, 2) + number(1, 4))
        case .dataOnStreamZero: RawFrame.frame(RawFrame.data, [0x7B])
        case .headersOnStreamZero: RawFrame.headers(0, [(":status", "200")], endsStream: true)
        case .headersOnServerStream: RawFrame.headers(2, [(":status", "200")], endsStream: true)
        case .continuationAlone: RawFrame.frame(RawFrame.continuation, flags: RawFrame.endHeaders, stream: 1)
        case .windowUpdateOfZero: RawFrame.frame(RawFrame.windowUpdate, number(0, 4))
        case .windowOverflow: RawFrame.frame(RawFrame.windowUpdate, number(0x7FFF_FFFF, 4))
        case .resetOfIdleStream: RawFrame.frame(RawFrame.resetStream, stream: .max, number(8, 4))
        case .goAwayOnStream: RawFrame.frame(RawFrame.goAway, stream: 1, number(0, 8))
        case .http1Text: Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8)
        }
    }
}
