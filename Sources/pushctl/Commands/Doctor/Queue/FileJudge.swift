import PushCampaign
import PushQueueSQLite
import PushTerminal

/// Judges the file of a queue.
struct FileJudge {
    /// A log that is larger is not moved into the file, because a reader holds an old state.
    private static let largeLog: Int64 = 256 << 20
    /// With less, entries are refused soon: 16 MiB are kept for outcomes.
    private static let scarce: Int64 = 256 << 20

    private let facts: SQLiteQueueFacts
    private let place: String
    private let name: String

    init(_ facts: SQLiteQueueFacts, _ queue: QueueFacts) {
        self.facts = facts
        place = queue.place
        name = queue.name
    }

    var verdicts: [QueueVerdict] { [file, integrity, durability, disk, queue] }

    private var file: QueueVerdict {
        let rights = String(facts.mode & 0o777, radix: 8)
        let version = facts.isEmpty ? "empty" : "format \(facts.version)"
        let detail = "\(place): \(Figures.bytes(facts.bytes)), \(version), rights \(rights), SQLite \(facts.library)"
        guard facts.isWritable else {
            return QueueVerdict(
                .file, is: .warning, detail: "\(detail); this user may only read it",
                advice: "Producers and workers need permission to write the file and its folder.")
        }
        guard facts.mode & 0o077 != 0 else { return QueueVerdict(.file, is: .ok, detail: detail) }
        return QueueVerdict(
            .file, is: .warning, detail: detail,
            advice: "Other users may use it, and it contains device tokens and payloads: chmod 600.")
    }

    private var integrity: QueueVerdict {
        guard let problem = facts.problems.first else {
            return QueueVerdict(.integrity, is: .ok, detail: "SQLite finds no damage")
        }
        return QueueVerdict(
            .integrity, is: .fail, detail: problem,
            advice: "Stop the workers, keep a copy of the file and those beside it, and read what is left with: "
                + "sqlite3 \(place) .recover")
    }

    private var durability: QueueVerdict {
        let log = "write-ahead log of \(Figures.bytes(facts.logBytes))"
        let detail = "\(log); a loss of power takes the last commits, unless --fsync was given"
        guard facts.logBytes > Self.largeLog else { return QueueVerdict(.durability, is: .ok, detail: detail) }
        return QueueVerdict(
            .durability, is: .warning, detail: detail,
            advice: "Something reads the file for a long time, such as a backup. The log shrinks when that has ended.")
    }

    private var disk: QueueVerdict {
        let detail = "\(Figures.bytes(facts.freeBytes)) free"
        guard facts.freeBytes < Self.scarce else { return QueueVerdict(.disk, is: .ok, detail: detail) }
        return QueueVerdict(
            .disk, is: .warning, detail: detail,
            advice: "With less than 16 MiB, entries are refused; outcomes are still stored.")
    }

    private var queue: QueueVerdict {
        if facts.names.contains(name) { return QueueVerdict(.queue, is: .ok, detail: name) }
        let others = facts.names.prefix(5).joined(separator: ", ")
        return QueueVerdict(
            .queue, is: .warning,
            detail: "there is no queue \(name) yet\(others.isEmpty ? "" : "; there is \(others)")",
            advice: "The first put makes it; or the name is wrong.")
    }
}
