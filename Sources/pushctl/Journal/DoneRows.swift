/// The lines that are done according to outcomes files of earlier runs.
enum DoneRows {
    /// Adds the lines of a file. A row that a crash has torn is skipped.
    ///
    /// - Throws: Status 66 if it can't be read, or is not an outcomes file.
    static func add(_ path: String, to lines: inout LineSet) throws(CommandError) {
        let file = try InputFile(path)
        var rows = WrittenRows { buffer throws(CommandError) in try file.read(into: buffer) }
        guard try rows.readHeader() else {
            throw .input("--skip-done: \(path) is not an outcomes file; its first line must be \(OutcomeRow.columns)")
        }
        repeat {
            while let row = try rows.next() {
                if row.isDone { lines.insert(row.line) }
            }
        } while try rows.skipLine()
    }
}
