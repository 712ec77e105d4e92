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
