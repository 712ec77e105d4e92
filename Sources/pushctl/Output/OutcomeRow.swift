import PushTerminal
import SupervisedPush

/// One row of the outcomes: the result of one record.
struct OutcomeRow: Equatable, Sendable {
    enum Outcome: String, Sendable, CaseIterable {
        case delivered
        case rejected
        case failed
        case unknown
    }

    enum Certainty: String, Sendable, CaseIterable {
        case answered
        case notSent = "not_sent"
        case unprocessed
        case unknown
    }

    static let columns = "line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty"
    /// Reasons also come from the server; real ones are much shorter.
    static let longestReason = 200

    var line: Int
    var token: String
    var outcome: Outcome
    var status: Int?
    var reason: String?
    var apnsID: APNSID?
    /// UNIX seconds, for 410.
    var timestamp: Int64?
    var attempts: Int
    var certainty: Certainty
    /// What prevented its retry, for the summary. Not part of the row.
    var notRetried: NotRetried?

    init(
        line: Int, token: String, outcome: Outcome, certainty: Certainty, status: Int? = nil, reason: String? = nil,
        apnsID: APNSID? = nil, timestamp: Int64? = nil, attempts: Int = 0, notRetried: NotRetried? = nil
    ) {
        self.line = line
        self.token = token
        self.outcome = outcome
        self.status = status
        self.reason = reason?.asReason
        self.apnsID = apnsID
        self.timestamp = timestamp
        self.attempts = attempts
        self.certainty = certainty
        self.notRetried = notRetried
    }

    /// The row of a record that is not pushed.
    static func notPushed(_ record: InputRecord, _ reason: String = "invalid_input") -> OutcomeRow {
        OutcomeRow(line: record.line, token: record.token, outcome: .failed, certainty: .notSent, reason: reason)
    }

    /// Makes it the row of a push that an earlier run may have sent, and whose answer is not known.
    mutating func interrupt(_ id: APNSID) {
        self = OutcomeRow(
            line: line, token: token, outcome: .unknown, certainty: .unknown, reason: "interrupted", apnsID: id,
            attempts: attempts)
    }

    /// The row as CSV, including its line feed.
    func appendCSV(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: longestCSV) { row in
            row.append(decimal: line)
            row.append(ASCII.comma)
            row.append(csv: token)
            row.append(ASCII.comma)
            row.append(utf8: outcome.rawValue)
            row.append(ASCII.comma)
            if let status { row.append(decimal: status) }
            row.append(ASCII.comma)
            if let reason { row.append(csv: reason) }
            row.append(ASCII.comma)
            apnsID?.withUTF8 { row.append(copying: $0) }
            row.append(ASCII.comma)
            if let timestamp { row.append(decimal: timestamp) }
            row.append(ASCII.comma)
            row.append(decimal: attempts)
            row.append(ASCII.comma)
            row.append(utf8: certainty.rawValue)
            row.append(ASCII.lineFeed)
        }
    }

    /// Four numbers of at most 20 digits, an id of 36, two names and eight commas have 145 bytes; each text in quotes
    /// may be twice as long, and has three more.
    private var longestCSV: Int { 2 * (token.utf8.count + (reason?.utf8.count ?? 0)) + 160 }

    /// The row as a JSON object on one line; missing values are `null`.
    func appendJSON(to bytes: inout [UInt8]) {
        var object = JSONLine()
        object.add("line", line)
        object.add("token", token)
        object.add("outcome", outcome.rawValue)
        object.add("status", status)
        object.add("reason", reason)
        object.add("apns_id", apnsID?.description)
        object.add("timestamp", timestamp)
        object.add("attempts", attempts)
        object.add("certainty", certainty.rawValue)
        object.append(to: &bytes)
    }
}

extension String {
    /// A reason that fits into a row, whatever its source.
    var asReason: String { onOneLine.shortened(to: OutcomeRow.longestReason) }
}
