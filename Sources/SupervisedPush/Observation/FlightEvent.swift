import PushHTTP2

/// One event in the flight recorder. It has only numbers, and sentences that exist anyway: an entry allocates nothing,
/// and no device token, payload or header value can get in.
enum FlightEvent: Equatable, Sendable {
    case processBegan(ProcessID)
    case processEnded(ExitWord)
    /// Pushes carry the provider token with this number from now on.
    case token(UInt32)
    /// An attempt to connect began.
    case dialing
    /// TLS is established, with a resumed session or a full handshake.
    case secured(isResumed: Bool)
    /// The effect of the peer's SETTINGS; -1: no limit on streams.
    case settings(maxStreams: Int32, initialWindow: Int32, maxFrame: Int32)
    /// The link with these SETTINGS is the current one.
    case up(generation: Int32)
    /// HEADERS written and answered; one entry sums up to a second.
    case traffic(Traffic)
    /// RST_STREAM; consecutive ones with the same code in one entry.
    case resets(Resets)
    /// `reason` is the peer's word, letters only.
    case goAway(lastStream: Int32, code: UInt32, reason: String?)
    case ping
    case pong
    case lost(LinkFailure)
    /// We closed the link, because it was drained or the connection closes.
    case closed
    /// We abandoned the link.
    case abandoned
    case reconnecting(attempt: Int32, milliseconds: Int32)
    case draining(generation: Int32)
    /// APNs refuses the credential; `reason` is the peer's word, letters only.
    case suspended(reason: String?, milliseconds: Int32)
    /// APNs refuses the credential, which it never accepted: the process is about to end.
    case refused(reason: String?)
    /// A late window ended.
    case late(stream: Int32, isAnswered: Bool)
    /// An event without numbers.
    case note(StaticWord)

    /// How a process ended, without the error's text.
    enum ExitWord: String { case normal, shutdown, failure, killed }
}

/// A constant word that can be compared.
struct StaticWord: Equatable, Sendable, ExpressibleByStringLiteral {
    let text: StaticString

    init(stringLiteral value: StaticString) { text = value }

    static func == (left: Self, right: Self) -> Bool { left.text.description == right.text.description }
}

extension FlightEvent.ExitWord {
    init(_ reason: ExitReason) {
        self =
            switch reason {
            case .normal: .normal
            case .shutdown: .shutdown
            case .failure: .failure
            case .killed: .killed
            }
    }
}

extension FlightEvent {
    /// The event's name: lower case with underscores.
    var name: String {
        switch self {
        case .processBegan: "process_began"
        case .processEnded: "process_ended"
        case .token: "token"
        case .dialing: "dialing"
        case .secured: "tls"
        case .settings: "settings"
        case .up: "up"
        case .traffic: "traffic"
        case .resets(let resets): resets.isOurs ? "reset_sent" : "reset_received"
        case .goAway: "goaway"
        case .ping: "ping"
        case .pong: "pong"
        case .lost: "lost"
        case .closed: "closed"
        case .abandoned: "abandoned"
        case .reconnecting: "reconnecting"
        case .draining: "draining"
        case .suspended: "suspended"
        case .refused: "credential_refused"
        case .late: "late"
        case .note(let word): word.text.description
        }
    }

    /// Its values as `name=value`, separated by spaces; empty if the name says all.
    var detail: String {
        switch self {
        case .processBegan(let pid): "pid=\(pid)"
        case .processEnded(let word): "reason=\(word.rawValue)"
        case .token(let number): "number=\(number)"
        case .secured(let isResumed): "resumed=\(isResumed)"
        case .settings(let maxStreams, let initialWindow, let maxFrame):
            "max_streams=\(maxStreams < 0 ? "none" : "\(maxStreams)") initial_window=\(initialWindow) "
                + "max_frame=\(maxFrame)"
        case .up(let generation): "generation=\(generation)"
        case .traffic(let traffic): traffic.detail
        case .resets(let resets): resets.detail
        case .goAway(let lastStream, let code, let reason):
            "last_stream=\(lastStream) code=\(HTTP2ErrorCode(rawValue: code)) reason=\(reason ?? "none")"
        case .lost(let failure): "layer=\(failure.layer) cause=\"\(failure)\""
        case .reconnecting(let attempt, let milliseconds): "attempt=\(attempt) delay_ms=\(milliseconds)"
        case .draining(let generation): "generation=\(generation)"
        case .suspended(let reason, let milliseconds): "reason=\(reason ?? "none") next_probe_ms=\(milliseconds)"
        case .refused(let reason): "reason=\(reason ?? "none")"
        case .late(let stream, let isAnswered): "stream=\(stream) answered=\(isAnswered)"
        case .dialing, .ping, .pong, .closed, .abandoned, .note: ""
        }
    }
}
