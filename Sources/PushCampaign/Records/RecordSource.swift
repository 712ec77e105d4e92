import PushLocking
import PushReview
import PushTerminal
import SupervisedPush
import Synchronization

/// The input as the source of a bulk: the pushes of its records. A record that can't be pushed gets its row here.
///
/// The number of a push is the line of its record. With a journal, records are read in batches, and the first push of a
/// batch is offered once the journal has the intents of all.
package final class RecordSource: NumberedPushes, @unchecked Sendable {
    // Sendable: what changes is used by one thread at a time, first in `open`, then by the bulk, and at the end by the
    // run; shared state is atomic or locked.

    /// How far the input was read.
    package struct Position: Sendable {
        package var bytes: UInt64 = 0
        package var records = 0
        /// How many of them became pushes.
        package var pushes = 0
        /// The line where reading stopped before the end of the input.
        package var stoppedAtLine: Int?
        package var error: CommandError?
        /// How many of the journal's latest intents were not offered.
        var unoffered = 0
        /// How many records the input has, with those that were skipped; nil unless all were read.
        var recordsOfInput: Int?
    }

    /// How reading ended.
    private struct Stop {
        var line: Int?
        var error: CommandError?
        var isEndOfInput = false
    }

    package let file: InputFile
    private let format: RecordFormat
    private let delimiter: UInt8
    // These change with each record, so they take no lock.
    private let bytes = Atomic<UInt64>(0)
    private let records = Atomic(0)
    private let pushes = Atomic(0)
    private let stopped = Locked(Stop())
    // Used by one thread at a time, as said above; checking each access for that would cost 120 instructions.
    @exclusivity(unchecked) private var reader: (any RecordReader)?
    /// The first record, which was read ahead.
    @exclusivity(unchecked) private var first: InputRecord?
    @exclusivity(unchecked) private var pusher: RecordPusher?
    @exclusivity(unchecked) private var batch = OfferedBatch()
    @exclusivity(unchecked) private var ids: RandomIDs?
    private var plan: RecordPlan?
    /// Set before reading.
    @exclusivity(unchecked) private var filter: TokenFilter?
    private var book: OutcomeBook?
    private var skipped = 0
    /// How many unknown names were taken.
    private var unknownTaken = 0
    private var say: (@Sendable (String) -> Void)?
    /// How many records are read at most, and how many were, without those that were skipped.
    private let limit: Int
    private var taken = 0
    private let waiting = Waiting()

    /// - Parameters:
    ///   - delimiter: What separates the columns of CSV; nil for commas.
    ///   - limit: How many records are read at most; nil for all.
    package init(
        _ input: String, _ format: RecordFormat, delimiter: UInt8? = nil, limit: Int? = nil
    ) throws(CommandError) {
        file = try InputFile(input)
        self.format = format
        self.delimiter = delimiter ?? ASCII.comma
        self.limit = limit ?? .max
    }

    /// Reads up to the first record, so that an input without records is refused before anything begins. Returns which
    /// fields records may have. May wait for a pipe, on a thread of its own.
    ///
    /// - Parameter names: What placeholders name.
    package func open(naming names: [String]) async throws(CommandError) -> Set<RecordField> {
        try await OwnThread("push.records").run { [self] () throws(CommandError) in
            let (file, waiting) = (file, waiting)
            var reader = try reader(of: file) { buffer throws(CommandError) in
                waiting.begins?()
                return try file.read(into: buffer)
            }
            try reader.find(names)
            first = try reader.next()
            guard first != nil else {
                throw CommandError.input("\(file.name) holds no records, only a header or nothing")
            }
            self.reader = reader
            return Set(RecordField.allCases.filter { reader.mayHave($0) })
        }
    }

    /// A new reader of the input.
    func reader(of file: InputFile, _ fill: @escaping ByteWindow.Fill) throws(CommandError) -> any RecordReader {
        try RecordReaders.open(format, delimiter: delimiter, name: file.name, fill: fill)
    }

    /// Sentences about columns or members that mean nothing, and were not taken yet.
    package func takeUnknown() -> [String] {
        let names = reader?.unknownNames ?? []
        defer { unknownTaken = names.count }
        let kind = format == .csv ? "column" : "member"
        return names.dropFirst(unknownTaken).map { name in
            let question = NearName.question(name, in: RecordField.allCases.map(\.rawValue))
            return "\(file.name): the \(kind) \(name) is ignored\(question)"
        }
    }

    /// Sets who makes pushes of its records, who writes their rows, and which records are pushed. Call it before reading.
    ///
    /// - Parameters:
    ///   - plan: Nil pushes all.
    ///   - keepsIntents: Whether there is a journal.
    ///   - say: Tells a person of unknown members.
    func prepare(
        _ pusher: RecordPusher, book: OutcomeBook, plan: RecordPlan?, keepsIntents: Bool,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.pusher, self.book, self.plan, self.say) = (pusher, book, plan, say)
        ids = keepsIntents ? RandomIDs() : nil
    }

    /// Leaves out records because of their token. Call it before reading.
    package func leaveOut(_ filter: TokenFilter?) { self.filter = filter }

    /// How many records were left out because of their token. Call it once nothing is read any more.
    package var leftOut: TokenFilter.Counts { filter?.counts ?? .init() }

    /// The run is over: nothing is read any more, and nothing of it is kept.
    func forgetRun() {
        waiting.begins = nil
        (pusher, book, say) = (nil, nil, nil)
    }

    /// A read may wait for a pipe, and the journal for its disk.
    package func beforeWaiting(_ offer: @escaping () -> Void) { waiting.begins = offer }

    /// The next push; nil at the end of the input, and once it is stopped.
    package func next(most: Int) -> (push: Push, number: Int)? {
        guard let book else { return nil }
        guard ids != nil else {
            guard let item = read(book) else { return nil }
            return offer(item)
        }
        if batch.isEmpty, !readBatch(min(most, OfferedBatch.most), book) { return nil }
        guard !file.isStopped, let next = batch.next() else { return nil }
        return offer(next)
    }

    private func offer(_ item: consuming OfferedBatch.Item) -> (push: Push, number: Int) {
        records.add(1, ordering: .relaxed)
        pushes.add(1, ordering: .relaxed)
        return (item.push, item.line)
    }

    /// Reads a batch, and tells the journal of it; false if nothing may be pushed.
    private func readBatch(_ most: Int, _ book: OutcomeBook) -> Bool {
        waiting.begins?()
        batch.restart()
        while batch.count < most, let item = read(book) { batch.append(item) }
        return batch.isEmpty || book.begin(batch.intents)
    }

    /// The next record that is pushed. The others get their rows, or are skipped.
    private func read(_ book: OutcomeBook) -> OfferedBatch.Item? {
        do throws(CommandError) {
            while !file.isStopped, taken < limit, let record = try nextRecord() {
                // A stopped reader sees the end of its input, perhaps in the middle of a record.
                guard !file.isStopped else { return stop(at: record.line) }
                bytes.store(reader?.bytesConsumed ?? 0, ordering: .relaxed)
                // Also of a record that is done: another one may have its token.
                if try filter?.leavesOut(record) == true {
                    skipped += 1
                } else if let item = item(of: record, book) {
                    return item
                }
            }
            // Whether more follows tells where reading stopped. A pipe is not asked: it may say nothing for a long time.
            if taken == limit, file.size != nil, first == nil { first = try nextRecord() }
            let isLimited = taken == limit && (file.size == nil || first != nil)
            stopped.withLock { $0.isEndOfInput = !file.isStopped && !isLimited }
        } catch {
            stopped.withLock { stop in
                stop.error = error
                stop.isEndOfInput = !file.isStopped
            }
        }
        return nil
    }

    /// What becomes of a record; nil if it is not pushed.
    private func item(of record: InputRecord, _ book: OutcomeBook) -> OfferedBatch.Item? {
        let (id, isNew): (APNSID?, Bool)
        switch plan?.decision(line: record.line) ?? .push {
        case .push: (id, isNew) = (ids?.makeID(), true)
        case .skip:
            skipped += 1
            return nil
        case .interrupted(let earlier):
            taken += 1
            records.add(1, ordering: .relaxed)
            book.interrupted(record, earlier)
            return nil
        case .pushAgain(let earlier): (id, isNew) = (earlier, false)
        }
        taken += 1
        do throws(RecordProblem) {
            guard let push = try pusher?.push(of: record, id: id) else { return nil }
            book.keepID(of: record)
            return OfferedBatch.Item(push: push, line: record.line, isNew: isNew)
        } catch {
            records.add(1, ordering: .relaxed)
            var record = record
            record.problem = error.sentence
            book.notPushed(record, error.reason)
            return nil
        }
    }

    /// The next record of the input, as it is.
    package func nextRecord() throws(CommandError) -> InputRecord? {
        guard let ahead = first else {
            let record = try reader?.next()
            // A header names all columns, but every line of NDJSON may have another member.
            if format == .ndjson, let say { for line in takeUnknown() { say(line) } }
            return record
        }
        first = nil
        return ahead
    }

    /// The size of the input up to the last record that `nextRecord` has returned. Call it where that is called.
    package var bytesRead: UInt64 { reader?.bytesConsumed ?? 0 }

    private func stop(at line: Int) -> OfferedBatch.Item? {
        stopped.withLock { $0.line = $0.line ?? line }
        return nil
    }

    /// How far the input was read.
    package var position: Position {
        let stop = stopped.withLock { $0 }
        return Position(
            bytes: bytes.load(ordering: .relaxed), records: records.load(ordering: .relaxed),
            pushes: pushes.load(ordering: .relaxed), stoppedAtLine: stop.line, error: stop.error)
    }

    /// How far the input was read, once the bulk is over.
    package var end: Position {
        var end = position
        let isEndOfInput = stopped.withLock { $0.isEndOfInput }
        if let line = batch.firstLine {
            end.stoppedAtLine = line
        } else if !isEndOfInput {
            end.stoppedAtLine = end.stoppedAtLine ?? first?.line ?? reader?.line
        } else if end.error == nil {
            end.recordsOfInput = end.records + skipped
        }
        end.unoffered = batch.newLeft
        return end
    }
}

/// What the reading thread does before it waits.
private final class Waiting {
    var begins: (() -> Void)?
}

/// Makes apns-ids.
struct RandomIDs: Sendable {
    private var words = RandomWords()

    mutating func makeID() -> APNSID { APNSID(using: &words) }
}
