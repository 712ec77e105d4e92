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
    var apnsID: String?
    /// UNIX seconds, for 410.
    var timestamp: Int64?
    var attempts: Int
    var certainty: Certainty
    /// What prevented its retry, for the summary. Not part of the row.
    var notRetried: NotRetried?

    init(
        line: Int, token: String, outcome: Outcome, certainty: Certainty, status: Int? = nil, reason: String? = nil,
        apnsID: String? = nil, timestamp: Int64? = nil, attempts: Int = 0
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
    }

    /// The row of a record that is not pushed.
    static func notPushed(_ record: InputRecord, _ reason: String = "invalid_input") -> OutcomeRow {
        OutcomeRow(line: record.line, token: record.token, outcome: .failed, certainty: .notSent, reason: reason)
    }

    /// The row as CSV, including its line feed.
    func appendCSV(to bytes: inout [UInt8]) {
        bytes.append(decimal: line)
        bytes.append(ASCII.comma)
        bytes.append(csv: token)
        bytes.append(ASCII.comma)
        bytes.append(utf8: outcome.rawValue)
        bytes.append(ASCII.comma)
        if let status { bytes.append(decimal: status) }
        bytes.append(ASCII.comma)
        bytes.append(csv: reason ?? "")
        bytes.append(ASCII.comma)
        bytes.append(csv: apnsID ?? "")
        bytes.append(ASCII.comma)
        if let timestamp { bytes.append(decimal: timestamp) }
        bytes.append(ASCII.comma)
        bytes.append(decimal: attempts)
        bytes.append(ASCII.comma)
        bytes.append(utf8: certainty.rawValue)
        bytes.append(ASCII.lineFeed)
    }

    /// The row as a JSON object on one line; missing values are `null`.
    func appendJSON(to bytes: inout [UInt8]) {
        var object = JSONLine()
        object.add("line", line)
        object.add("token", token)
        object.add("outcome", outcome.rawValue)
        object.add("status", status)
        object.add("reason", reason)
        object.add("apns_id", apnsID)
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

extension [UInt8] {
    /// Digits are written by hand: a `String` for each number would cost more than the rest of a row.
    fileprivate mutating func append(decimal number: some BinaryInteger) {
        var rest = UInt64(clamping: number.magnitude)
        if number < 0 { append(ASCII.minus) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    fileprivate mutating func append(utf8 text: String) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isDone == nil { append(contentsOf: text.utf8) }
    }

    /// A field, quoted only if RFC 4180 requires it. A field that a spreadsheet would take for a formula gets an
    /// apostrophe in front: no device token begins that way, so it was an invalid one in the input.
    fileprivate mutating func append(csv text: String) {
        let needsQuotes = text.needsQuotes
        if needsQuotes { append(ASCII.quote) }
        if text.isFormula { append(ASCII.apostrophe) }
        guard needsQuotes else { return append(utf8: text) }
        for byte in text.utf8 {
            if byte == ASCII.quote { append(ASCII.quote) }
            append(byte)
        }
        append(ASCII.quote)
    }
}

extension String {
    fileprivate var isFormula: Bool {
        switch utf8.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "@"), ASCII.minus, ASCII.tab, ASCII.carriageReturn,
            ASCII.lineFeed:
            true
        default: false
        }
    }

    fileprivate var needsQuotes: Bool {
        func isSpecial(_ byte: UInt8) -> Bool {
            byte == ASCII.comma || byte == ASCII.quote || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
        }
        return utf8.withContiguousStorageIfAvailable { $0.contains(where: isSpecial) }
            ?? utf8.contains(where: isSpecial)
    }
}
