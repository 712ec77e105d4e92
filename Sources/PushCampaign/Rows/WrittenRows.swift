import FoundationEssentials
import PushProtocol
import PushTerminal
import SupervisedPush

/// Reads rows that a run has written: an outcomes file, or its end.
struct WrittenRows {
    private static let longestRow = 262_144

    private var window: ByteWindow
    private var scanner = CSVScanner()

    init(fill: @escaping ByteWindow.Fill) { self.init(ByteWindow(fill: fill)) }

    init(_ window: ByteWindow) { self.window = window }

    /// How many bytes were read as rows.
    var bytesRead: UInt64 { window.bytesConsumed }

    /// Reads the header; false if there is another one.
    mutating func readHeader() throws(CommandError) -> Bool {
        guard let length = try nextRow() else { return false }
        defer { window.consume(length) }
        return window.bytes[..<length].elementsEqual(OutcomesWriter.header.utf8)
    }

    /// The next row; nil at the end, and where something is not a whole row.
    mutating func next() throws(CommandError) -> OutcomeRow? {
        guard let length = try nextRow() else { return nil }
        let bytes = window.bytes
        guard bytes[length - 1] == ASCII.lineFeed, let row = OutcomeRow(scanner.fields.map { $0.bytes(in: bytes) })
        else {
            return nil
        }
        window.consume(length)
        return row
    }

    /// Skips the physical line; false at the end.
    mutating func skipLine() throws(CommandError) -> Bool {
        if window.count == 0 { guard try window.readMore() else { return false } }
        try window.consumeLine()
        return true
    }

    /// The length of the row that was found.
    private mutating func nextRow() throws(CommandError) -> Int? {
        scanner.restart()
        while true {
            switch scanner.scan(window.bytes, isAtEnd: window.isAtEnd) {
            case .record(let length): return length > 0 ? length : nil
            case .malformed: return nil
            case .needsMore:
                guard window.count <= Self.longestRow else { return nil }
                _ = try window.readMore()
            }
        }
    }
}

extension OutcomeRow {
    /// Nil if these are not the fields of a row.
    fileprivate init?(_ fields: [[UInt8]]) {
        let texts = fields.map { String(decoding: $0, as: UTF8.self) }
        guard texts.count == 9, let line = Int(texts[0]), line > 0, let kind = PushOutcome.Kind(rawValue: texts[2]),
            let certainty = Certainty(rawValue: texts[8])
        else { return nil }
        let id = texts[5].isEmpty ? nil : APNSID(texts[5])
        guard texts[5].isEmpty || id != nil else { return nil }
        self.init(
            line: line, token: texts[1],
            PushOutcome(
                kind, certainty: certainty, status: Int(texts[3]), reason: texts[4].isEmpty ? nil : texts[4],
                apnsID: id,
                timestamp: Int64(texts[6]).map { Date(unixSeconds: $0) }, attempts: Int(texts[7]) ?? 0))
    }
}
