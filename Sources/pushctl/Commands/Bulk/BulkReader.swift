import Locking

/// Reads the input on a thread of its own, which may wait for a pipe or for room, and hands each record on.
final class BulkReader: @unchecked Sendable {
    // Sendable: `reader` and `first` are touched on `thread` only, one call after the other.

    struct End: Sendable {
        var records = 0
        /// The line where it stopped, if the input had not come to its end.
        var stoppedAtLine: Int?
        var error: CommandError?
    }

    private struct Position {
        var bytes: UInt64 = 0
        var records = 0
    }

    let file: InputFile
    private let format: InputFormat
    private let thread = OwnThread("pushctl.input")
    private let position = Locked(Position())
    private var reader: (any RecordReader)?
    /// The first record, which was read ahead.
    private var first: InputRecord?

    init(_ options: BulkOptions) throws(CommandError) {
        file = try InputFile(options.input)
        format = options.inputFormat
    }

    /// Reads up to the first record, so that an input without any is refused before anything is begun; says which fields
    /// records may have.
    func open() async throws(CommandError) -> Set<RecordField> {
        let result = await thread.run { [self] () -> Result<Set<RecordField>, CommandError> in
            do throws(CommandError) {
                let file = file
                var reader = try RecordReaders.open(format, name: file.name) { buffer throws(CommandError) in
                    try file.read(into: buffer)
                }
                first = try reader.next()
                guard first != nil else {
                    throw CommandError.input("\(file.name) holds no records, only a header or nothing")
                }
                self.reader = reader
                return .success(Set(RecordField.allCases.filter { reader.mayHave($0) }))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// What its fields are in the words of the format.
    var nameOfColumns: String { format == .csv ? "column" : "member" }

    /// Columns that mean nothing here, as far as the first record tells.
    func unknownNames() async -> [String] { await thread.run { [self] in reader?.unknownNames ?? [] } }

    /// Reads to the end, or until somebody stops it. `take` may block, and answers whether to go on.
    func read(_ take: @escaping @Sendable (InputRecord) -> Bool) async -> End {
        await thread.run { [self] in
            var end = End()
            guard var reader else { return end }
            defer { self.reader = reader }
            do throws(CommandError) {
                while !file.isStopped, let record = try next(&reader) {
                    // A reader that is stopped sees the end of its input, maybe in the middle of a record.
                    guard !file.isStopped, take(record) else {
                        end.stoppedAtLine = record.line
                        return end
                    }
                    end.records += 1
                    let bytes = reader.bytesConsumed
                    position.withLock { $0 = Position(bytes: bytes, records: end.records) }
                }
            } catch {
                end.error = error
            }
            if file.isStopped { end.stoppedAtLine = first?.line ?? reader.line }
            return end
        }
    }

    private func next(_ reader: inout any RecordReader) throws(CommandError) -> InputRecord? {
        guard let ahead = first else { return try reader.next() }
        first = nil
        return ahead
    }

    /// How far it is: bytes of the input, records.
    var progress: (bytes: UInt64, records: Int) { position.withLock { ($0.bytes, $0.records) } }
}
