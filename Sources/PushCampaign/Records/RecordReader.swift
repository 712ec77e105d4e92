import PushTerminal

/// Reads an input record by record, in constant memory.
protocol RecordReader {
    /// The next record, or nil at the end.
    ///
    /// An invalid record is returned with its problem. Only an input that can't be read at all throws.
    mutating func next() throws(CommandError) -> InputRecord?

    /// The physical line after the input read so far, from 1.
    var line: Int { get }

    /// The size of the input up to here, for progress. `mutating` lets the compiler read it in place; otherwise it
    /// would copy the reader for each record.
    var bytesConsumed: UInt64 { mutating get }

    /// Finds the columns or members that placeholders name; `InputRecord.values` has their values from now on. Call it
    /// before the first record.
    ///
    /// - Throws: Status 64 if the input certainly lacks one.
    mutating func find(_ names: [String]) throws(CommandError)

    /// Columns or members that mean nothing, in the order they were seen, a few at most.
    var unknownNames: [String] { get }

    /// Whether a record may have a field: exact for a CSV header, always true for NDJSON.
    func mayHave(_ field: RecordField) -> Bool
}

/// Opens readers by format.
package enum RecordReaders {
    /// A longer record is invalid. APNs accepts at most 5 KiB, so this leaves room for quoting and white space.
    package static let longestRecord = 65_536
    /// As many names of unknown columns or members are kept.
    static let mostUnknownNames = 16

    /// - Parameter delimiter: What separates the columns of CSV.
    static func open(
        _ format: RecordFormat, delimiter: UInt8 = ASCII.comma, name: String, fill: @escaping ByteWindow.Fill
    ) throws(CommandError) -> any RecordReader {
        switch format {
        case .csv: try CSVReader(name: name, delimiter: delimiter, fill: fill)
        case .ndjson: NDJSONReader(name: name, fill: fill)
        }
    }
}

/// The format of a file with records.
public enum RecordFormat: String, CaseIterable, Sendable {
    /// Comma-separated values (RFC 4180) with a header row, in UTF-8.
    case csv
    /// A JSON object on each line.
    case ndjson

    /// The format by the file's name; CSV if the name does not say.
    public init(fileName: String) {
        let name = fileName.lowercased()
        self = name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") ? .ndjson : .csv
    }
}

/// What separates the columns of a CSV file.
package enum RecordDelimiter {
    /// What may, as the end of a sentence.
    package static let rule = "give one character such as ; or |, or tab; letters, digits and quotes separate nothing"

    /// Understands `;` and `tab`; nil if columns cannot be separated by it.
    package static func byte(_ text: String) -> UInt8? {
        if text == "tab" || text == "\\t" { return ASCII.tab }
        guard text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        return separates(byte) ? byte : nil
    }

    private static func separates(_ byte: UInt8) -> Bool {
        let sign = Unicode.Scalar(byte)
        if byte == ASCII.tab { return true }
        return (0x21...0x7E).contains(byte) && byte != ASCII.quote && !("0"..."9").contains(sign)
            && !("a"..."z").contains(sign) && !("A"..."Z").contains(sign)
    }
}
