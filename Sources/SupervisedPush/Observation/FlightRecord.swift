import FoundationEssentials
import ProcessRuntime

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
            return Entry(
                time: takenAt.addingTimeInterval(-(age / .seconds(1))), age: age, pid: pid,
                link: entry.link == 0 ? nil : Int(entry.link), event: entry.event.name, detail: entry.event.detail)
        }.sorted { $0.age > $1.age }
    }
}

extension Duration {
    /// Seconds, rounded to milliseconds: for people.
    var inSeconds: Double { (self / .milliseconds(1)).rounded() / 1_000 }
}
