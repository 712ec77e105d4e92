import Foundation
import PushQueue

/// How full a queue is, for a person or for a script.
struct QueueReport {
    private let status: QueueStatus
    private let now: Date

    init(_ status: QueueStatus, now: Date = Date()) {
        self.status = status
        self.now = now
    }

    private var taken: Int { status.taken.values.reduce(0, +) }

    private var workers: [(name: String, entries: Int)] {
        status.taken.map { ($0.key.description, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The age of the oldest waiting entry, in seconds.
    private var age: Double? { status.oldest.map { max(0, now.timeIntervalSince($0)) } }

    var text: String {
        var rows: [CountTable.Row] = [
            ("waiting", status.waiting, age.map { "the oldest for \(Figures.span(Int64($0)))" } ?? ""),
            ("delayed", status.delayed, ""), ("taken", taken, ""),
        ]
        for worker in workers { rows.append(("", worker.entries, "by \(worker.name)")) }
        rows.append(("dead", status.dead, ""))
        let cut = status.outcomesCut == 0 ? "" : "\(Figures.grouped(status.outcomesCut)) were removed unread"
        rows.append(("outcomes", status.outcomes, cut))
        return CountTable.lines(rows).map(\.onOneLineKeepingBlanks).joined(separator: "\n")
    }

    var json: [UInt8] {
        var object = JSONLine()
        object.add("waiting", status.waiting)
        object.add("delayed", status.delayed)
        object.add("taken", taken)
        object.add("workers", workers.map { ($0.name, $0.entries) })
        object.add("dead", status.dead)
        if let age { object.add("oldest_seconds", seconds: age) } else { object.add("oldest_seconds", nil as String?) }
        object.add("outcomes", status.outcomes)
        object.add("outcomes_cut", status.outcomesCut)
        return object.line
    }
}

extension String {
    /// Without what could control a terminal, and with the blanks of a table.
    fileprivate var onOneLineKeepingBlanks: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}

/// Dead letters, for a person or for a script.
struct DeadLetterList {
    private let letters: [DeadLetter]

    init(_ letters: [DeadLetter]) { self.letters = letters }

    func lines(asJSON: Bool) -> [UInt8] {
        var bytes: [UInt8] = asJSON ? [] : Array("id,tokens,reason\n".utf8)
        for letter in letters {
            let entry = try? letter.entry.get()
            if asJSON {
                var object = JSONLine()
                object.add("id", entry?.id.description)
                object.add("tokens", entry?.tokens.count)
                object.add("reason", letter.reason)
                object.append(to: &bytes)
            } else {
                let reason = letter.reason.asReason
                bytes.append(addingCapacity: 2 * reason.utf8.count + 80) { row in
                    if let entry {
                        row.append(utf8: entry.id.description)
                        row.append(ASCII.comma)
                        row.append(decimal: entry.tokens.count)
                    } else {
                        row.append(ASCII.comma)
                    }
                    row.append(ASCII.comma)
                    row.append(csv: reason)
                    row.append(ASCII.lineFeed)
                }
            }
        }
        return bytes
    }
}
