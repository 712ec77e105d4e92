import FoundationEssentials
import ProcessRuntime

/// The last frames and phase changes of a connection, as its flight recorder kept them, oldest first.
///
/// It holds no key, no provider token, no device token, no payload and no header value. It belongs to the name: the
/// record of a process that failed can be read after its restart, and until the connection is closed. Encode it with
/// any encoder, or print it: one line per entry, with the wall clock's time in UTC, as a log has it.
public struct FlightRecord: Sendable, Encodable, CustomStringConvertible {
    /// One thing that happened. Entries named `traffic` sum up to a second of requests and answers.
    public struct Entry: Sendable, Encodable, CustomStringConvertible {
        /// When; of a sum, when it began. Reckoned back from when the record was taken, so that a clock that was set
        /// puts no entry before an earlier one.
        public let time: Date
        /// How long before the record was taken.
        public let age: Duration
        /// The process; nil if its beginning is no longer in the record of a connection that had several.
        public let pid: ProcessID?
        /// The number of the link within its process, counted by attempts to connect; nil: of no link.
        public let link: Int?
        /// What: `process_began`, `process_ended`, `token`, `dialing`, `tls`, `pin_mismatch`, `settings`, `up`,
        /// `traffic`, `reset_received`, `reset_sent`, `goaway`, `ping`, `pong`, `lost`, `closed`, `abandoned`,
        /// `reconnecting`, `draining`, `replacement_failed`, `suspended`, `credential_refused`, `retries_stopped`,
        /// `late`. More may come.
        public let event: String
        /// The event's values as `name=value`, blanks between; empty where the name says all.
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

    /// All entries, a line each.
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
        // A sum stands where it was handed over, which is after what happened since it began.
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
