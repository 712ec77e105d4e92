/// A GOAWAY frame and what comes after it (RFC 9113, section 6.8).
public struct GoAway: Sendable, Hashable {
    /// What last-stream-id says.
    public enum LastStream: Sendable, Hashable {
        /// The highest stream that was processed: everything later was not, and never will be.
        case processed
        /// This one; later streams are ignored, earlier ones processed. Below what was already processed it is a lie, after which a provider
        /// rightly sends pushes a second time.
        case exactly(Int32)
    }

    /// What becomes of the connection.
    public enum Ending: Sendable, Hashable {
        /// It ends when every processed push was answered.
        case whenAnswered
        /// It ends at once; what was not answered never is.
        case cut(Fault.Cut)
        /// It stays until the provider closes it.
        case leftOpen
    }

    /// The error code; 0 is NO_ERROR.
    public var code: UInt32
    /// Sent as `{"reason":"…"}` in the opaque data, as APNs does; nil sends none.
    public var reason: String?
    /// What last-stream-id says.
    public var lastStream: LastStream
    /// First a notice with last-stream-id 2^31-1, then, when the provider has seen it (it answered a PING, or a second has passed), the frame itself.
    public var isAnnounced: Bool
    /// What becomes of the connection.
    public var ending: Ending
    /// Pushes that still arrive on a stream within last-stream-id are answered with 503 `Shutdown`.
    public var refusesPushes: Bool

    /// By default: NO_ERROR, no reason, what was processed is answered, then the connection ends.
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

    /// The opaque data: JSON with the reason, escaped as RFC 8259 wants it.
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
