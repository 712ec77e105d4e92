import PushTerminal
import SupervisedPush

/// One row of the outcomes: how one record ended.
@dynamicMemberLookup
public struct OutcomeRow: Equatable, Sendable {
    package static let columns = "line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty"
    /// Reasons also come from the server; real ones are much shorter.
    static let longestReason = 200

    /// The line of the input where the record begins, from 1.
    public let line: Int
    /// The device token, as the record has it; empty if it has none.
    public let token: String
    /// How it ended.
    public internal(set) var outcome: PushOutcome
    /// The record's apns-id as it was written, for whom it is a text.
    var givenID: String?
    /// What prevented its retry, for the summary. Not part of the row.
    let notRetried: NotRetried?

    package init(line: Int = 0, token: String = "", _ outcome: PushOutcome, notRetried: NotRetried? = nil) {
        self.line = line
        self.token = token
        self.outcome = outcome
        self.outcome.reason = outcome.reason?.asReason
        self.notRetried = notRetried
    }

    /// The row of a record that is not pushed.
    package static func notPushed(_ record: InputRecord, _ reason: String = "invalid_input") -> OutcomeRow {
        var row = OutcomeRow(line: record.line, token: record.token, PushOutcome(.failed, reason: reason))
        row.givenID = record.apnsID
        return row
    }

    /// The row with another outcome.
    private func with(_ outcome: PushOutcome) -> OutcomeRow {
        var row = OutcomeRow(line: line, token: token, outcome)
        row.givenID = givenID
        return row
    }

    /// Its apns-id as it was given, or in lower case.
    private var idText: String? {
        guard let id = outcome.apnsID else { return nil }
        guard let givenID, APNSID(givenID) == id else { return id.description }
        return givenID
    }

    /// The row of a timed-out push, once its late end is known.
    package func completed(by late: LateResponse.Outcome) -> OutcomeRow { with(outcome.completed(by: late)) }

    /// The row of a push that an earlier run may have sent, and whose answer is not known.
    package func interrupted(_ id: APNSID) -> OutcomeRow {
        with(PushOutcome(.unknown, reason: "interrupted", apnsID: id, attempts: outcome.attempts))
    }

    /// What its outcome says, such as `row.kind`, `row.status` and `row.reason`.
    public subscript<Value>(dynamicMember member: KeyPath<PushOutcome, Value>) -> Value { outcome[keyPath: member] }

    /// UNIX seconds, of an answer 410.
    package var timestamp: Int64? { outcome.timestamp?.unixSeconds }

    /// The row as CSV, including its line feed.
    package borrowing func appendCSV(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: longestCSV) { row in
            row.append(decimal: line)
            row.append(ASCII.comma)
            row.append(csv: token)
            row.append(ASCII.comma)
            row.append(utf8: outcome.kind.rawValue)
            row.append(ASCII.comma)
            if let status = outcome.status { row.append(decimal: status) }
            row.append(ASCII.comma)
            if let reason = outcome.reason { row.append(csv: reason) }
            row.append(ASCII.comma)
            if givenID == nil {
                outcome.apnsID?.withUTF8 { row.append(copying: $0) }
            } else if let idText {
                row.append(csv: idText)
            }
            row.append(ASCII.comma)
            if let timestamp { row.append(decimal: timestamp) }
            row.append(ASCII.comma)
            row.append(decimal: outcome.attempts)
            row.append(ASCII.comma)
            row.append(utf8: outcome.certainty.rawValue)
            row.append(ASCII.lineFeed)
        }
    }

    /// Four numbers of at most 20 digits, an id of 36, two names and eight commas have 145 bytes; each text in quotes
    /// may be twice as long, and has three more.
    private var longestCSV: Int { 2 * (token.utf8.count + (outcome.reason?.utf8.count ?? 0)) + 160 }

    /// The row as a JSON object on one line; missing values are `null`.
    func appendJSON(to bytes: inout [UInt8]) {
        var object = JSONLine()
        object.add("line", line)
        object.add("token", token)
        object.add("outcome", outcome.kind.rawValue)
        object.add("status", outcome.status)
        object.add("reason", outcome.reason)
        object.add("apns_id", idText)
        object.add("timestamp", timestamp)
        object.add("attempts", outcome.attempts)
        object.add("certainty", outcome.certainty.rawValue)
        object.append(to: &bytes)
    }
}

extension String {
    /// A reason that fits into a row, whatever its source.
    package var asReason: String { onOneLine.shortened(to: OutcomeRow.longestReason) }
}

/// Why a rejection was not retried although `--retry-status` asks for it.
package enum NotRetried: String, Sendable, CaseIterable {
    case breaker
    case budget
    case time
    case waiting

    /// The text in the summary.
    package var sentence: String {
        switch self {
        case .breaker: "APNs failed too often, so retries stopped for 30 s"
        case .budget: "the retry budget, a tenth of the pushes, was used up"
        case .time: "the pause would have outlasted the push's time"
        case .waiting: "too many pushes waited for a retry already"
        }
    }
}
