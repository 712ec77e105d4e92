/// Writes outcome rows in batches: one system call for some hundred rows.
///
/// After a failed write every further call does nothing, so a run ends once and in order.
struct OutcomesWriter: ~Copyable {
    enum Format: Sendable {
        case csv
        case json
    }

    /// The first line of a CSV.
    static let header = OutcomeRow.columns + "\n"
    private static let batch = 65_536

    private let file: OutputFile
    private let format: Format
    private var buffer: [UInt8] = []
    /// Accepted rows, written or not.
    private(set) var rows = 0
    /// The first failure, if any. Rows were lost.
    private(set) var failure: CommandError?

    /// Writes the header at once, so that a full disk or a closed pipe is noticed before anything is pushed. A file
    /// that already has rows has a header.
    init(_ file: consuming OutputFile, format: Format = .csv) throws(CommandError) {
        self.file = file
        self.format = format
        if format == .csv, !self.file.isContinued { try self.file.write(Array(Self.header.utf8)) }
        buffer.reserveCapacity(Self.batch + 4096)
    }

    mutating func append(_ row: OutcomeRow) throws(CommandError) {
        rows += 1
        guard failure == nil else { return }
        switch format {
        case .csv: row.appendCSV(to: &buffer)
        case .json: row.appendJSON(to: &buffer)
        }
        if buffer.count >= Self.batch { try flush() }
    }

    /// Writes the buffered rows; only whole rows, so that a reader does not see half a row for long.
    mutating func flush() throws(CommandError) {
        guard failure == nil, !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        do throws(CommandError) {
            try file.write(buffer)
        } catch {
            failure = error
            throw error
        }
    }
}
