import FoundationEssentials
import PushProtocol
import PushTerminal
import SupervisedPush

/// Reads the rows of an outcomes file, CSV or JSON lines, by its first byte. A row that a crash has torn is skipped.
enum OutcomesReader {
    private static let longestLine = 262_144

    /// - Throws: Status 66 if it can't be read, or is not an outcomes file.
    static func forEachRow(
        of path: String, _ body: (OutcomeRow) -> Void
    ) throws(CommandError) {
        let file = try InputFile(path)
        var window = ByteWindow { buffer throws(CommandError) in try file.read(into: buffer) }
        _ = try window.readMore()
        window.consume(TextEncoding.markLength(window.bytes))
        if window.bytes.first == UInt8(ascii: "{") { return try readJSON(&window, path, body) }
        var rows = WrittenRows(window)
        guard try rows.readHeader() else {
            throw .input("\(path) is not an outcomes file; its first line must be \(OutcomeRow.columns)")
        }
        repeat {
            while let row = try rows.next() { body(row) }
        } while try rows.skipLine()
    }

    private static func readJSON(
        _ window: inout ByteWindow, _ path: String, _ body: (OutcomeRow) -> Void
    ) throws(CommandError) {
        var isOutcomes = false
        while true {
            if let length = window.bytes.firstIndex(of: ASCII.lineFeed) {
                if let row = OutcomeRow(json: Array(window.bytes[..<length])) {
                    isOutcomes = true
                    body(row)
                }
                window.consume(length + 1)
            } else if window.count > longestLine {
                try window.consumeLine()
            } else if try !window.readMore() {
                break
            }
        }
        guard isOutcomes else {
            throw .input("\(path) has no outcome rows; it must be what bulk --json printed")
        }
    }
}

extension OutcomeRow {
    /// Nil if it is not a row: the summary is none.
    fileprivate init?(json bytes: [UInt8]) {
        guard let row = JSONValue(parsing: bytes), let line = row["line"]?.integerValue, line > 0,
            let kind = row["outcome"]?.stringValue.flatMap(PushOutcome.Kind.init)
        else { return nil }
        self.init(
            line: line, token: row["token"]?.stringValue ?? "",
            PushOutcome(
                kind, certainty: row["certainty"]?.stringValue.flatMap(Certainty.init),
                status: row["status"]?.integerValue, reason: row["reason"]?.stringValue,
                apnsID: row["apns_id"]?.stringValue.flatMap(APNSID.init),
                timestamp: row["timestamp"]?.integerValue.map { Date(unixSeconds: Int64($0)) },
                attempts: row["attempts"]?.integerValue ?? 0))
    }
}
