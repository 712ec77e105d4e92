import PushTerminal

/// Writes outcome rows in batches: one system call for some hundred rows.
///
/// After a failed write every further call does nothing, so a run ends once and in order.
package struct OutcomesWriter: ~Copyable {
    package enum Format: Sendable {
        case csv
        case json
        /// Rows are counted and not written.
        case none
    }

    /// The first line of a CSV.
    package static let header = OutcomeRow.columns + "\n"
    private static let batch = 65_536

    private let file: OutputFile
    private let format: Format
    private var buffer: [UInt8] = []
    /// The size of the file, up to the last row that was written.
    package private(set) var size: UInt64
    /// Accepted rows, written or not.
    package private(set) var rows = 0
    /// The first failure, if any. Rows were lost.
    package private(set) var failure: CommandError?
    /// The rows that are in the file, and the line of the last one's record.
    private var written = (rows: 0, line: nil as Int?)
    private var latestLine: Int?

    /// What became of the rows of a run that could not write them all.
    package struct Loss: Equatable, Sendable {
        /// How many whole rows the file has of this run.
        package var written: Int
        /// The line of the last one's record.
        package var lastLine: Int?
        package var missing: Int

        /// - Parameter path: Nil for standard output.
        package func sentence(of path: String?, input: String) -> String {
            let last = lastLine.map { ", the last one for line \($0) of \(input)" } ?? ""
            let rows = "\(path ?? "standard output") has \(Figures.grouped(written)) whole rows of this run"
            return "\(rows)\(last); \(Figures.grouped(missing)) are missing"
        }
    }

    /// Writes the header at once, so that a full disk or a closed pipe is noticed before anything is pushed. A file
    /// that already has rows has a header.
    package init(_ file: consuming OutputFile, format: Format = .csv) throws(CommandError) {
        self.file = file
        self.format = format
        if format == .csv, !self.file.isContinued { try self.file.write(Array(Self.header.utf8)) }
        size = self.file.size
        if format != .none { buffer.reserveCapacity(Self.batch + 4096) }
    }

    package mutating func append(_ row: borrowing OutcomeRow) throws(CommandError) {
        rows += 1
        guard failure == nil else { return }
        latestLine = row.line
        switch format {
        case .csv: row.appendCSV(to: &buffer)
        case .json: row.appendJSON(to: &buffer)
        case .none: return
        }
        if buffer.count >= Self.batch { try flush() }
    }

    /// Writes the buffered rows; only whole rows, so that a reader does not see half a row for long.
    package mutating func flush() throws(CommandError) {
        guard failure == nil, !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        do throws(CommandError) {
            try file.write(buffer)
            size += UInt64(buffer.count)
            written = (rows, latestLine)
        } catch {
            failure = error
            keepWholeRows()
            throw error
        }
    }

    /// A full disk takes a part of the buffer: its whole rows stay, and a torn one is cut off.
    private mutating func keepWholeRows() {
        let end = file.size
        guard format == .csv, file.isOwned, end > size else { return }
        var part = buffer.prefix(Int(clamping: end - size))
        var rows = WrittenRows { target throws(CommandError) in
            let piece = part.prefix(target.count)
            target.copyBytes(from: piece)
            part = part.dropFirst(piece.count)
            return piece.count
        }
        while let row = try? rows.next() { written = (written.rows + 1, row.line) }
        try? file.truncate(to: size + rows.bytesRead)
    }

    /// Nil unless rows were lost.
    package var loss: Loss? {
        failure == nil ? nil : Loss(written: written.rows, lastLine: written.line, missing: rows - written.rows)
    }

    /// Writes the buffered rows, and returns once all rows are on the disk.
    mutating func flushToDisk() throws(CommandError) {
        try flush()
        guard failure == nil else { return }
        do throws(CommandError) { try file.sync() } catch {
            failure = error
            throw error
        }
    }
}
