import PushLocking
import SupervisedPush

/// The input as the source of a bulk: the pushes of its records. A record that can't be pushed gets its row here.
final class RecordSource: Sequence, @unchecked Sendable {
    // Sendable: `reader` and `first` are used by one thread at a time, first in `open`, then by the bulk; shared state
    // is locked.

    /// How far the input was read.
    struct Position: Sendable {
        var bytes: UInt64 = 0
        var records = 0
        /// How many of them became pushes.
        var pushes = 0
        /// The line where reading stopped before the end of the input.
        var stoppedAtLine: Int?
        var error: CommandError?
        fileprivate var isOver = false
    }

    let file: InputFile
    private let format: InputFormat
    private let shared = Locked(Position())
    private var reader: (any RecordReader)?
    /// The first record, which was read ahead.
    private var first: InputRecord?
    private var pusher: RecordPusher?
    private var book: OutcomeBook?

    init(_ options: BulkFlags) throws(CommandError) {
        file = try InputFile(options.input)
        format = options.inputFormat
    }

    /// Reads up to the first record, so that an input without records is refused before anything begins. Returns which
    /// fields records may have. May wait for a pipe, on a thread of its own.
    func open() async throws(CommandError) -> Set<RecordField> {
        let result = await OwnThread("pushctl.input").run { [self] () -> Result<Set<RecordField>, CommandError> in
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

    /// The name of a field in this format.
    var nameOfColumns: String { format == .csv ? "column" : "member" }

    /// Unknown columns, as far as the first record shows. Valid between `open` and the first read.
    var unknownNames: [String] { reader?.unknownNames ?? [] }

    /// Sets who makes pushes of its records and who writes their rows. Call it before reading.
    func prepare(_ pusher: RecordPusher, _ book: OutcomeBook) { (self.pusher, self.book) = (pusher, book) }

    func makeIterator() -> AnyIterator<Push> { AnyIterator { self.next() } }

    /// The next push; nil at the end of the input, and once it is stopped.
    private func next() -> Push? {
        guard let pusher, let book else { return nil }
        do throws(CommandError) {
            while !file.isStopped, let record = try nextRecord() {
                // A stopped reader sees the end of its input, perhaps in the middle of a record.
                guard !file.isStopped else { return stop(at: record.line) }
                do throws(RecordPusher.Problem) {
                    let push = try pusher.push(of: record)
                    count(isPush: true)
                    return push
                } catch {
                    count(isPush: false)
                    var record = record
                    record.problem = error.sentence
                    book.notPushed(record, error.reason)
                }
            }
            shared.withLock { $0.isOver = !file.isStopped }
        } catch {
            shared.withLock { position in
                position.error = error
                position.isOver = !file.isStopped
            }
        }
        return nil
    }

    private func nextRecord() throws(CommandError) -> InputRecord? {
        guard let ahead = first else { return try reader?.next() }
        first = nil
        return ahead
    }

    private func count(isPush: Bool) {
        let bytes = reader?.bytesConsumed ?? 0
        shared.withLock { position in
            position.bytes = bytes
            position.records += 1
            if isPush { position.pushes += 1 }
        }
    }

    private func stop(at line: Int) -> Push? {
        shared.withLock { $0.stoppedAtLine = $0.stoppedAtLine ?? line }
        return nil
    }

    /// How far the input was read.
    var position: Position { shared.withLock { $0 } }

    /// How far the input was read, once the bulk is over.
    var end: Position {
        var end = position
        if !end.isOver { end.stoppedAtLine = end.stoppedAtLine ?? first?.line ?? reader?.line }
        return end
    }
}
