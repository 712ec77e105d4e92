/// Reads an input record by record, in constant memory.
package protocol RecordReader {
    /// The next record, or nil at the end.
    ///
    /// A record that is not valid comes with its problem. Only an input that can't be read at all throws.
    mutating func next() throws(CommandError) -> InputRecord?

    /// The physical line after what was read, from 1.
    var line: Int { get }

    /// How much of the input the records so far took, for progress. `mutating` lets the compiler look at the reader
    /// where it is; it would otherwise copy it for each record.
    var bytesConsumed: UInt64 { mutating get }

    /// Columns or members that mean nothing here, in the order they were seen, a few at most.
    var unknownNames: [String] { get }

    /// Whether a record may have a field: by a CSV header exactly; NDJSON can't know, so it may.
    func mayHave(_ field: RecordField) -> Bool
}

/// Opens readers by format.
package enum RecordReaders {
    /// A record beyond this many bytes is not valid. APNs takes 5 KiB at most, so that this leaves room for quoting
    /// and white space.
    package static let longestRecord = 65_536

    package static func open(
        _ format: InputFormat, name: String, fill: @escaping ByteWindow.Fill
    ) throws(CommandError) -> any RecordReader {
        switch format {
        case .csv: try CSVReader(name: name, fill: fill)
        case .ndjson: NDJSONReader(name: name, fill: fill)
        }
    }
}
