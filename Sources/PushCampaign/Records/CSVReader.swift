import PushReview
import PushTerminal
import SupervisedPush

/// Reads CSV with a header row (RFC 4180), record by record.
///
/// After a malformed or too long record, only its first physical line is skipped: reading continues at the next one, so
/// an unclosed quote does not swallow the following records.
struct CSVReader: RecordReader {
    private let name: String
    private var window: ByteWindow
    private let longestRecord: Int
    private let delimiter: UInt8
    private var scanner: CSVScanner
    /// The names of all columns, and which of them are known.
    private var names: [String] = []
    private var columns: [RecordField?] = []
    /// The columns that placeholders name.
    private var found: [Int] = []
    private let latestPayload = LatestPayload()

    var line: Int { window.line }
    var bytesConsumed: UInt64 { window.bytesConsumed }

    /// Reads the header.
    ///
    /// - Throws: Status 66 if the input is empty, can't be read, or has no column `token`.
    init(
        name: String, delimiter: UInt8 = ASCII.comma, longestRecord: Int = RecordReaders.longestRecord,
        fill: @escaping ByteWindow.Fill
    ) throws(CommandError) {
        self.name = name
        self.delimiter = delimiter
        scanner = CSVScanner(delimiter: delimiter)
        window = ByteWindow(fill: fill)
        self.longestRecord = longestRecord
        try window.consumeBeginning(of: name)
        guard try skipBlankLines() else {
            throw .input("\(name) is empty; its first line must name the columns, such as token,payload")
        }
        let line = window.line
        switch try nextRow() {
        case .record(let length):
            try readHeader(fields, line: line)
            window.consume(length)
        case .broken(let problem):
            let hint = headerProblem ?? "the header can't be read: \(problem)"
            throw .input("\(name), line \(line): \(hint)")
        }
    }

    func mayHave(_ field: RecordField) -> Bool { columns.contains(field) }

    var unknownNames: [String] {
        let unknown = columns.indices.filter { columns[$0] == nil && !found.contains($0) }
        return unknown.prefix(RecordReaders.mostUnknownNames).map { names[$0].shortened(to: 40) }
    }

    mutating func find(_ wanted: [String]) throws(CommandError) {
        for name in wanted {
            let named = names.indices.filter { names[$0] == name || columns[$0]?.rawValue == name }
            guard let column = named.first else {
                let all = names.prefix(8).joined(separator: ", ")
                let hint = NearName.of(name, in: names).map { "did you mean \($0)?" } ?? "its columns are \(all)"
                throw .usage("{{\(name)}}: \(self.name) has no column \(name); \(hint)")
            }
            guard named.count == 1 else {
                throw .input("{{\(name)}}: the column \(name) of \(self.name) appears twice; keep one")
            }
            found.append(column)
        }
    }

    mutating func next() throws(CommandError) -> InputRecord? {
        guard try skipBlankLines() else { return nil }
        let line = window.line
        switch try nextRow() {
        case .record(let length):
            defer { window.consume(length) }
            var record = InputRecord(line: line)
            read(&record)
            return record
        case .broken(let problem):
            let fields = fields
            try window.consumeLine()
            let position = columns.firstIndex(of: .token) ?? 0
            let token = position < fields.count ? String(decoding: fields[position], as: UTF8.self) : ""
            return InputRecord(line: line, token: token, problem: problem)
        }
    }

    // MARK: Rows

    private enum Row {
        /// The length in bytes.
        case record(Int)
        /// The scanner has the fields that were complete before the error.
        case broken(String)
    }

    /// Finds the next row and its fields. It stays in the window.
    private mutating func nextRow() throws(CommandError) -> Row {
        scanner.restart()
        while true {
            switch scanner.scan(window.bytes, isAtEnd: window.isAtEnd) {
            case .record(let length) where length <= longestRecord: return .record(length)
            case .malformed(let problem): return .broken(problem)
            case .needsMore where window.count <= longestRecord: _ = try window.readMore()
            case .record, .needsMore:
                let cause = scanner.isInQuotes ? " (is a quote left open?)" : ""
                return .broken("the record is longer than \(longestRecord) bytes\(cause)")
            }
        }
    }

    /// The bytes of the row's fields.
    private var fields: [[UInt8]] {
        let row = window.bytes
        return scanner.fields.map { $0.bytes(in: row) }
    }

    /// False at the end of the input.
    private mutating func skipBlankLines() throws(CommandError) -> Bool {
        while true {
            let bytes = window.bytes
            if let end = bytes.firstIndex(where: { !ASCII.isBlank($0) && $0 != ASCII.carriageReturn }) {
                guard bytes[end] == ASCII.lineFeed else { return true }
                window.consume(end + 1)
                continue
            }
            // Only spaces so far. They belong to the line, unless they are longer than any record.
            let blanks = bytes.count
            if blanks > longestRecord { return true }
            if try !window.readMore() {
                window.consume(blanks)
                return false
            }
        }
    }

    // MARK: Fields

    private mutating func readHeader(_ header: [[UInt8]], line: Int) throws(CommandError) {
        for bytes in header {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .input("\(name), line \(line): the header is not UTF-8; save the file as UTF-8")
            }
            let field = RecordField(rawValue: text.lowercased())
            if let field, columns.contains(field) {
                throw .input("\(name), line \(line): the column \(field.rawValue) appears twice; keep one")
            }
            names.append(text)
            columns.append(field)
        }
        guard columns.contains(.token), !header.contains(where: { HeaderProblem.hasReturnAlone($0) }) else {
            let likely = HeaderProblem.likelyToken(in: names).map { "rename \($0.shortened(to: 40)) to token" }
            let hint = headerProblem ?? likely ?? "the first line must name the columns"
            throw .input("\(name), line \(line): no column is named token; \(hint)")
        }
    }

    /// What is known about a header that cannot be used. It is still in the window.
    private var headerProblem: String? {
        HeaderProblem(window.bytes, delimiter: delimiter, name: name)?.sentence
    }

    /// Reads the record of the row that was found.
    private func read(_ record: inout InputRecord) {
        let (row, fields) = (window.bytes, scanner.fields)
        for index in 0..<min(columns.count, fields.count) {
            guard let column = columns[index] else { continue }
            if column == .payload {
                setPayload(of: &record, fields[index], row)
            } else {
                set(column, of: &record, fields[index], row)
            }
        }
        if !found.isEmpty { setValues(of: &record, fields, row) }
        if fields.count != columns.count {
            let isTypographic = fields.contains { TypographicQuote.begins($0.text(in: row)) }
            let hint = isTypographic ? ": a typographic quote is text; write straight ones (\")" : ""
            record.problem = "the header has \(columns.count) columns, the record \(fields.count)\(hint)"
        } else if record.token.isEmpty {
            record.problem = record.problem ?? "token is empty"
        }
    }

    private func set(
        _ column: RecordField, of record: inout InputRecord, _ field: CSVScanner.Field, _ row: UnsafeRawBufferPointer
    ) {
        guard field.hasDoubledQuotes else { return record.set(column, field.text(in: row)) }
        field.bytes(in: row).withUnsafeBytes { record.set(column, $0) }
    }

    private func setValues(
        of record: inout InputRecord, _ fields: [CSVScanner.Field], _ row: UnsafeRawBufferPointer
    ) {
        record.values.reserveCapacity(found.count)
        for column in found where column < fields.count {
            let value = fields[column].bytes(in: row)
            let isUTF8 = value.allSatisfy { $0 < 0x80 } || String(validating: value, as: UTF8.self) != nil
            if !isUTF8 { record.problem = record.problem ?? "\(names[column].shortened(to: 40)) is not UTF-8" }
            record.values.append(value)
        }
    }

    /// A payload that is the same as in the row before needs no check.
    private func setPayload(of record: inout InputRecord, _ field: CSVScanner.Field, _ row: UnsafeRawBufferPointer) {
        record.payload = latestPayload.payload(of: field, in: row)
        guard record.payload == nil else { return }
        set(.payload, of: &record, field, row)
        if let payload = record.payload { latestPayload.store(payload, of: field, in: row) }
    }
}

/// The latest valid payload, and its field. The rows of a campaign usually repeat it.
private final class LatestPayload {
    private var field: CSVScanner.Field?
    private var written: [UInt8] = []
    private var payload: [UInt8]?

    /// The payload, if this field is written in the same way.
    func payload(of field: CSVScanner.Field, in row: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let latest = self.field, latest.isQuoted == field.isQuoted,
            latest.hasDoubledQuotes == field.hasDoubledQuotes
        else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: row[field.range])
        return written.withUnsafeBytes { $0.hasSameBytes(as: text) } ? payload : nil
    }

    func store(_ payload: [UInt8], of field: CSVScanner.Field, in row: UnsafeRawBufferPointer) {
        self.field = field
        self.payload = payload
        written.removeAll(keepingCapacity: true)
        written.append(contentsOf: row[field.range])
    }
}

extension InputRecord {
    /// Sets a CSV field. An empty one counts as absent.
    fileprivate mutating func set(_ field: RecordField, _ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        guard let text = String(utf8: bytes) else {
            if field == .token { token = String(decoding: bytes, as: UTF8.self) }
            problem = problem ?? "\(field.rawValue) is not UTF-8"
            return
        }
        problem = set(field, text, bytes) ?? problem
    }

    /// Returns a sentence if the value is invalid.
    private mutating func set(_ field: RecordField, _ text: String, _ bytes: UnsafeRawBufferPointer) -> String? {
        switch field {
        case .token, .topic, .collapseID, .apnsID, .pushType: set(field, text: text)
        case .expiration:
            expiration = Int64(text)
            if expiration == nil { return "expiration is not a whole number of UNIX seconds" }
        case .priority:
            priority = Int(text)
            if priority == nil { return RecordPriority.problem(text) }
        case .payload:
            let json = Array(bytes)
            if let problem = JSONScanner.problem(inObject: json, namingLines: false) { return "payload \(problem)" }
            payload = json
        }
        return nil
    }
}
