/// A GOAWAY frame and what follows it (RFC 9113, section 6.8).
public struct GoAway: Sendable, Hashable {
    /// The value of last-stream-id.
    public enum LastStream: Sendable, Hashable {
        /// The highest processed stream: later streams were not processed and never will be.
        case processed
        /// This stream: later streams are ignored, earlier ones processed. If it is lower than what was already
        /// processed, it is wrong, and a provider rightly sends pushes a second time. 0 or odd; an even number counts as
        /// the odd one below it.
        case exactly(Int32)
    }

    /// What happens to the connection.
    public enum Ending: Sendable, Hashable {
        /// It ends when every processed push is answered.
        case whenAnswered
        /// It ends at once, without the missing answers.
        case cut(Fault.Cut)
        /// It stays open until the provider closes it.
        case leftOpen
    }

    /// The error code; 0 is NO_ERROR.
    public var code: UInt32
    /// Sent as `{"reason":"…"}` in the opaque data, as by APNs; nil sends none.
    public var reason: String?
    /// The value of last-stream-id.
    public var lastStream: LastStream
    /// Whether to send a notice with last-stream-id 2^31-1 first. The frame itself follows when the provider has seen
    /// the notice: it answered a PING, or a second has passed.
    public var isAnnounced: Bool
    /// What happens to the connection.
    public var ending: Ending
    /// Whether pushes that arrive later on a stream within last-stream-id get 503 `Shutdown`.
    public var refusesPushes: Bool

    /// Creates a GOAWAY. By default: NO_ERROR, no reason; processed pushes are answered, then the connection ends.
    public init(
        code: UInt32 = 0, reason: String? = nil, lastStream: LastStream = .processed, isAnnounced: Bool = false,
        ending: Ending = .whenAnswered, refusesPushes: Bool = false
    ) {
        self.code = code
        self.reason = reason
        self.lastStream = lastStream
        self.isAnnounced = isAnnounced
        self.ending = ending
        self.refusesPushes = refusesPushes
    }

    /// The opaque data: JSON with the reason, escaped as RFC 8259 requires.
    var debugData: [UInt8] {
        guard let reason else { return [] }
        var bytes = Array(#"{"reason":""#.utf8)
        for byte in reason.utf8 {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0..<0x20:
                bytes += Array("\\u00".utf8) + [HexDigits.lowerDigit(byte >> 4), HexDigits.lowerDigit(byte & 15)]
            default: bytes.append(byte)
            }
        }
        return bytes + Array(#""}"#.utf8)
    }
}
