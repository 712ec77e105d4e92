import FoundationEssentials
import ProcessRuntime
import PushHTTP2

/// The last frames and phase changes of a connection from its flight recorder, oldest first.
///
/// It contains no key, provider token, device token, payload or header value. It belongs to the name: the record of a
/// failed process can be read after its restart, and until the connection is closed. Encode it with any encoder, or
/// print it: one line per entry, with the time in UTC, as in a log.
public struct FlightRecord: Sendable, Encodable, CustomStringConvertible {
    /// One event. Entries named `traffic` sum up to a second of requests and answers.
    public struct Entry: Sendable, Encodable, CustomStringConvertible {
        /// When it happened; for a sum, when it began. Computed from the time the record was taken, so entries stay in
        /// order even if the clock was set.
        public let time: Date
        /// How long before the record was taken.
        public let age: Duration
        /// The process; nil if the connection had several, and its beginning is no longer in the record.
        public let pid: ProcessID?
        /// The number of the link within its process, counted by attempts to connect; nil for an event without a link.
        public let link: Int?
        /// The event: `process_began`, `process_ended`, `token`, `dialing`, `tls`, `pin_mismatch`, `settings`, `up`,
        /// `traffic`, `reset_received`, `reset_sent`, `goaway`, `ping`, `pong`, `lost`, `closed`, `abandoned`,
        /// `reconnecting`, `draining`, `replacement_failed`, `suspended`, `credential_refused`, `retries_stopped`,
        /// `late`. More may be added.
        public let event: String
        /// The event's values as `name=value`, separated by spaces; empty if the name says all.
        public let detail: String

        /// One line, for example `2026-11-22T09:30:00.250Z <7> link 2 goaway last_stream=101 code=NO_ERROR
        /// reason=none`.
        public var description: String {
            var words = [time.timestamp]
            if let pid { words.append("\(pid)") }
            if let link { words.append("link \(link)") }
            words.append(event)
            if !detail.isEmpty { words.append(detail) }
            return words.joined(separator: " ")
        }

        private enum CodingKeys: String, CodingKey {
            case time, age, pid, link, event, detail
        }

        /// Writes `time` as text (RFC 3339), `age` in seconds, `pid`, `link`, `event` and `detail`.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(time.timestamp, forKey: .time)
            try values.encode(age.inSeconds, forKey: .age)
            try values.encodeIfPresent(pid?.description, forKey: .pid)
            try values.encodeIfPresent(link, forKey: .link)
            try values.encode(event, forKey: .event)
            if !detail.isEmpty { try values.encode(detail, forKey: .detail) }
        }
    }

    /// The connection's name; nil for an anonymous one.
    public let name: String?
    /// When the record was taken.
    public let takenAt: Date
    /// How many older entries were overwritten.
    public let overwritten: Int
    /// What happened, oldest first.
    public let entries: [Entry]

    /// All entries, one per line.
    public var description: String { lines.joined(separator: "\n") }

    /// The lines of the newest entries.
    func lines(newest count: Int) -> [String] { entries.suffix(count).map(\.description) }

    private var lines: [String] {
        let head = "flight record of \(name.map { "\"\($0)\"" } ?? "an anonymous connection")"
        return [overwritten == 0 ? head : "\(head), \(overwritten) older entries overwritten"]
            + entries.map(\.description)
    }
}

extension FlightRecord {
    init(_ ring: FlightRing, name: String?, now: MonotonicInstant, takenAt: Date) {
        var pid = ring.oldestProcess
        self.name = name
        self.takenAt = takenAt
        overwritten = ring.overwritten
        // A sum comes where it was handed over, after events that happened since it began.
        entries = ring.all.map { entry in
            if case .processBegan(let began) = entry.event { pid = began }
            let age = entry.instant.duration(to: now)
            // The wall clock is read in whole milliseconds, so whole ones are subtracted: what is left of them would
            // move an event into the millisecond before.
            return Entry(
                time: Date(unixMilliseconds: takenAt.unixMilliseconds - age.saturatedNanoseconds / 1_000_000), age: age,
                pid: pid,
                link: entry.link == 0 ? nil : Int(entry.link), event: entry.event.name, detail: entry.event.detail)
        }.sorted { $0.age > $1.age }
    }
}

extension Duration {
    /// Seconds, rounded to milliseconds: for people.
    var inSeconds: Double { (self / .milliseconds(1)).rounded() / 1_000 }

    /// As in a log: `0.96 s`, at most two digits after the point.
    var logged: String { "\((self / .milliseconds(10)).rounded() / 100) s" }
}

/// One entry of the flight recorder: its time, its link, its event.
struct FlightEntry: Equatable, Sendable {
    var instant: MonotonicInstant
    /// The link's number within its process; 0 for an event without a link.
    var link: UInt32
    var event: FlightEvent
}

/// The last events of a connection, up to a limit: a value that overwrites its oldest entry.
///
/// Frequent events are summed up: traffic of one link, and resets of one kind, share an entry per second, so that busy
/// minutes leave room for the frames that matter.
struct FlightRing: Sendable {
    /// How much time one entry sums up.
    static let window = Duration.seconds(1)

    let limit: Int
    private var entries: [FlightEntry] = []
    /// The place of the oldest entry, once the ring is full.
    private var oldest = 0
    private(set) var overwritten = 0
    /// The process that the oldest entry belongs to.
    private(set) var oldestProcess: ProcessID?

    /// A ring with this many entries; 0 keeps nothing.
    init(limit: Int) { self.limit = max(0, limit) }

    mutating func add(_ event: FlightEvent, link: UInt32, at instant: MonotonicInstant) {
        guard limit > 0, !merge(event, on: link, at: instant) else { return }
        let entry = FlightEntry(instant: instant, link: link, event: event)
        if entries.count < limit { return entries.append(entry) }
        if case .processBegan(let pid) = entries[oldest].event { oldestProcess = pid }
        entries[oldest] = entry
        oldest = (oldest + 1) % limit
        overwritten += 1
    }

    /// The entries, oldest first.
    var all: [FlightEntry] { Array(entries[oldest...] + entries[..<oldest]) }

    /// Adds to the newest entry, if that sums up the same kind.
    private mutating func merge(_ event: FlightEvent, on link: UInt32, at instant: MonotonicInstant) -> Bool {
        let newest = oldest > 0 ? oldest - 1 : entries.count - 1
        guard newest >= 0, entries[newest].link == link, entries[newest].instant.duration(to: instant) < Self.window
        else { return false }
        switch (entries[newest].event, event) {
        case (.traffic(var sum), .traffic(let more)):
            sum.merge(more)
            entries[newest].event = .traffic(sum)
            return true
        case (.resets(var sum), .resets(let more)):
            guard sum.merge(more) else { return false }
            entries[newest].event = .resets(sum)
            return true
        default:
            return false
        }
    }
}

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
