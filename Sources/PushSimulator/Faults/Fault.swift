/// One thing a simulated APNs does wrong on purpose. Done at once by ``SimulatedAPNs/perform(_:on:)``, or by a ``FaultRule`` when its moment comes.
public enum Fault: Sendable, Hashable {
    /// The answer comes later. Only for a push.
    case delay(Latency)
    /// The push is refused for this reason, if it would be accepted (row 29 of the order of checks). Only for a push.
    case refuse(Refusal)
    /// RST_STREAM instead of an answer (RFC 9113, section 6.4). With REFUSED_STREAM (7) the push is not processed and not in the ledger,
    /// with any other code it is. Only for a push.
    case resetStream(code: UInt32)
    /// The push is processed and its answer kept back until ``SimulatedAPNs/releaseAnswers(_:on:)``. Only for a push.
    case hold
    /// GOAWAY.
    case goAway(GoAway)
    /// The connection ends. The answers given before are written first.
    case cut(Cut)
    /// Nothing is written any more, not even PING's answer; what arrives is still processed.
    case mute
    /// Nothing is written and nothing processed any more, for as long as the connection lives: a network that swallows packets.
    case deafen
    /// New SETTINGS (RFC 9113, section 6.5).
    case settings(SettingsChange)

    /// How a connection ends.
    public enum Cut: Sendable, Hashable {
        /// With FIN, without a word of TLS or HTTP/2.
        case finish
        /// With RST.
        case reset
    }
}

/// How long answers take.
public struct Latency: Sendable, Hashable {
    /// The shortest and the longest time; each answer's is drawn between them, evenly, from the connection's seeded generator.
    public let range: ClosedRange<Duration>

    /// Every answer takes this long.
    public static func fixed(_ duration: Duration) -> Latency { Latency(duration...duration) }

    /// Every answer takes a time of its own in this range, so that they come in another order than their pushes.
    public init(_ range: ClosedRange<Duration>) { self.range = range }

    func draw(_ generator: inout SplitMix64) -> Int64 {
        let lower = Self.nanoseconds(range.lowerBound)
        let upper = Self.nanoseconds(range.upperBound)
        return lower == upper ? lower : Int64.random(in: lower...upper, using: &generator)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 4 : max(0, min(whole, .max / 4) + attoseconds / 1_000_000_000)
    }
}

/// A GOAWAY frame and what comes after it (RFC 9113, section 6.8).
public struct GoAway: Sendable, Hashable {
    /// What last-stream-id says.
    public enum LastStream: Sendable, Hashable {
        /// The highest stream that was processed: everything later was not, and never will be.
        case processed
        /// This one; later streams are ignored, earlier ones processed.
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

/// Values of SETTINGS to announce; nil leaves one as it is.
public struct SettingsChange: Sendable, Hashable {
    /// MAX_CONCURRENT_STREAMS; 0 stops a provider that respects it.
    public var maxConcurrentStreams: Int?
    /// INITIAL_WINDOW_SIZE, in bytes, up to 2^31-1.
    public var initialWindowSize: Int?

    /// Announces what is not nil.
    public init(maxConcurrentStreams: Int? = nil, initialWindowSize: Int? = nil) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.initialWindowSize = initialWindowSize
    }
}
