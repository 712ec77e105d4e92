import SupervisedPush

/// Reads CSV with a header row (RFC 4180), record by record.
///
/// After a malformed or too long record, only its first physical line is skipped: reading continues at the next one, so
/// an unclosed quote does not swallow the following records.
struct CSVReader: RecordReader {
    private var window: ByteWindow
    private let longestRecord: Int
    private var columns: [RecordField?] = []
    private(set) var unknownNames: [String] = []

    var line: Int { window.line }
    var bytesConsumed: UInt64 { window.bytesConsumed }

    /// Reads the header.
    ///
    /// - Throws: Status 66 if the input is empty, can't be read, or has no column `token`.
    init(
        name: String, longestRecord: Int = RecordReaders.longestRecord, fill: @escaping ByteWindow.Fill
    ) throws(CommandError) {
        window = ByteWindow(fill: fill)
        self.longestRecord = longestRecord
        try window.consumeByteOrderMark()
        guard try skipBlankLines() else {
            throw .input("\(name) is empty; its first line must name the columns, such as token,payload")
        }
        let line = window.line
        switch try nextRow() {
        case .fields(let header): try readHeader(header, name: name, line: line)
        case .broken(_, let problem):
            throw .input("\(name), line \(line): the header can't be read: \(problem)")
        }
    }

    func mayHave(_ field: RecordField) -> Bool { columns.contains(field) }

    mutating func next() throws(CommandError) -> InputRecord? {
        guard try skipBlankLines() else { return nil }
        let line = window.line
        switch try nextRow() {
        case .fields(let fields): return record(line: line, fields)
        case .broken(let fields, let problem):
            let position = columns.firstIndex(of: .token) ?? 0
            let token = position < fields.count ? String(decoding: fields[position], as: UTF8.self) : ""
            return InputRecord(line: line, token: token, problem: problem)
        }
    }

    // MARK: Rows

    private enum Row {
        case fields([[UInt8]])
        /// The fields that were complete before the error.
        case broken([[UInt8]], String)
    }

    private mutating func nextRow() throws(CommandError) -> Row {
        var scanner = CSVScanner()
        while true {
            let isAtEnd = window.isAtEnd
            switch window.withBytes({ scanner.scan($0, isAtEnd: isAtEnd) }) {
            case .record(let length) where length <= longestRecord:
                let row = fields(scanner)
                window.consume(length)
                return .fields(row)
            case .malformed(let problem):
                return try brokenRow(scanner, problem)
            case .needsMore where window.count <= longestRecord:
                _ = try window.readMore()
            case .record, .needsMore:
                let cause = scanner.isInQuotes ? " (is a quote left open?)" : ""
                return try brokenRow(scanner, "the record is longer than \(longestRecord) bytes\(cause)")
            }
        }
    }

    private mutating func brokenRow(_ scanner: CSVScanner, _ problem: String) throws(CommandError) -> Row {
        let complete = fields(scanner)
        try window.consumeLine()
        return .broken(complete, problem)
    }

    private func fields(_ scanner: CSVScanner) -> [[UInt8]] {
        window.withBytes { bytes in scanner.fields.map { $0.bytes(in: bytes) } }
    }

    /// False at the end of the input.
    private mutating func skipBlankLines() throws(CommandError) -> Bool {
        while true {
            let (blanks, isLine) = window.withBytes { bytes in
                let end = bytes.firstIndex { !ASCII.isBlank($0) && $0 != ASCII.carriageReturn }
                return (end ?? bytes.count, end.map { bytes[$0] == ASCII.lineFeed })
            }
            switch isLine {
            case true?: window.consume(blanks + 1)
            case false?: return true
            case nil:
                // Only spaces so far. They belong to the line, unless they are longer than any record.
                if blanks > longestRecord { return true }
                if try !window.readMore() {
                    window.consume(blanks)
                    return false
                }
            }
        }
    }

    // MARK: Fields

    private mutating func readHeader(_ header: [[UInt8]], name: String, line: Int) throws(CommandError) {
        for bytes in header {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .input("\(name), line \(line): the header is not UTF-8; save the file as UTF-8")
            }
            let field = RecordField(rawValue: text.lowercased())
            if let field, columns.contains(field) {
                throw .input("\(name), line \(line): the column \(field.rawValue) appears twice; keep one")
            }
            if field == nil, unknownNames.count < 16 { unknownNames.append(text.shortened(to: 40)) }
            columns.append(field)
        }
        guard columns.contains(.token) else {
            let hint = header.count == 1 ? "; columns are separated by commas" : ""
            throw .input("\(name), line \(line): no column is named token; the first line must name the columns\(hint)")
        }
    }

    private func record(line: Int, _ fields: [[UInt8]]) -> InputRecord {
        var record = InputRecord(line: line)
        for (column, bytes) in zip(columns, fields) {
            guard let column, !bytes.isEmpty else { continue }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                if column == .token { record.token = String(decoding: bytes, as: UTF8.self) }
                record.problem = record.problem ?? "\(column.rawValue) is not UTF-8"
                continue
            }
            record.problem = record.set(column, text, bytes) ?? record.problem
        }
        if fields.count != columns.count {
            record.problem = "the header has \(columns.count) columns, the record \(fields.count)"
        } else if record.token.isEmpty {
            record.problem = record.problem ?? "token is empty"
        }
        return record
    }
}

extension InputRecord {
    /// Sets a CSV field; returns a sentence if its value is invalid.
    fileprivate mutating func set(_ field: RecordField, _ text: String, _ bytes: [UInt8]) -> String? {
        switch field {
        case .token: token = text
        case .topic: topic = text
        case .collapseID: collapseID = text
        case .apnsID: apnsID = text
        case .pushType: pushType = text
        case .expiration:
            expiration = Int64(text)
            if expiration == nil { return "expiration is not a whole number of UNIX seconds" }
        case .priority:
            priority = Int(text)
            if priority == nil { return "priority is not a number" }
        case .payload:
            if let problem = JSONScanner.problem(inObject: bytes) { return "payload \(problem)" }
            payload = bytes
        }
        return nil
    }
}
