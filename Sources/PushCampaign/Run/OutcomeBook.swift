import PushLocking
import PushTerminal
import SupervisedPush
import Synchronization

/// Turns outcomes into rows, one per record. Rows are held while a late answer may arrive, counted, and written in
/// batches.
package final class OutcomeBook: Sendable {
    /// The present totals.
    package struct Standing: Sendable {
        package var tally = Tally()
        /// Pushes that have timed out and may still be answered: they have no row yet.
        package var held = 0
        /// Pushes that could be sent as they are.
        package var attempted = 0
        package var credentialWasRefused = false
        package var failure: CommandError?
        /// What became of the rows, if some were lost.
        package var lostRows: OutcomesWriter.Loss?
        package var rowsWereLost = false
    }

    private struct State {
        /// Nil after the end, so that another run can open them.
        var files: Files?
        /// What became of them.
        var end: Standing?
        /// Rows that are not handed over yet.
        var rows: [OutcomeRow] = []
        var tally = Tally()
        /// The rows of timed-out pushes, which may still be answered, by their lines: one for each stream that stays open.
        var held: [Int: OutcomeRow] = [:]
        /// The ids of pushes under way that their records do not write in lower case, by their lines.
        var givenIDs: [Int: String] = [:]
        var problems: LineProblems
        var attempted = 0
        var credentialWasRefused = false
    }

    /// The writer cannot be copied, so it is stored in a class. The lock makes accesses exclusive.
    private final class Files {
        @exclusivity(unchecked) var writer: OutcomesWriter
        @exclusivity(unchecked) var unregistered: UnregisteredList?
        let journal: RunJournal?

        init(_ files: consuming CampaignFiles) {
            journal = files.journal
            writer = files.writer
            unregistered = files.unregistered
        }
    }

    private let state: Locked<State>
    private let settled = Atomic(0)
    private let say: @Sendable (String) -> Void
    private let onWriteFailure: @Sendable (RunEnding) -> Void
    private let onRows: (@Sendable ([OutcomeRow]) -> Void)?

    /// - Parameters:
    ///   - onRows: Receives all rows, on the thread that writes them; it may block.
    ///   - onWriteFailure: Called when something cannot be written; may be called repeatedly.
    init(
        _ files: consuming sending CampaignFiles, inputName: String, say: @escaping @Sendable (String) -> Void,
        onRows: (@Sendable ([OutcomeRow]) -> Void)? = nil,
        onWriteFailure: @escaping @Sendable (RunEnding) -> Void
    ) {
        state = Locked(State(files: Files(files), problems: LineProblems(inputName: inputName)))
        self.say = say
        self.onRows = onRows
        self.onWriteFailure = onWriteFailure
    }

    // MARK: Outcomes

    /// Adds a record that is not pushed.
    func notPushed(_ record: InputRecord, _ reason: String) {
        var row = OutcomeRow.notPushed(record, reason)
        let line = state.withLock { state in
            write(&row, &state)
            return record.problem.flatMap { state.problems.report(line: record.line, $0, reason: reason) }
        }
        handOver()
        if let line { say(line) }
    }

    /// Keeps how a record that is about to be pushed writes its id, for its row.
    func keepID(of record: InputRecord) {
        guard let text = record.apnsID, text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return }
        state.withLock { $0.givenIDs[record.line] = text }
    }

    /// Adds a record that an earlier run may have pushed, and that is not pushed again.
    func interrupted(_ record: InputRecord, _ id: APNSID) {
        var row = OutcomeRow.notPushed(record).interrupted(id)
        state.withLock { write(&row, &$0) }
        handOver()
    }

    /// Pushes have ended. `ending` is the reason why the run ends, if it does.
    ///
    /// - Returns: Whether the credential is refused for all further pushes.
    func settle(_ outcomes: inout BulkIterator, _ ending: RunEnding?) -> Bool {
        var (ending, refusesCredential) = (ending, false)
        var lines: [String] = []
        state.withLock { state in
            while let outcome = outcomes.atHand() {
                if let late = outcome.late {
                    if var row = state.held.removeValue(forKey: outcome.index)?.completed(by: late) {
                        write(&row, &state)
                    }
                    continue
                }
                settled.add(1, ordering: .relaxed)
                settle(outcome, ending, &state)
                guard case .failure(let error) = outcome.result else { continue }
                if error.code == .credentialRefused {
                    refusesCredential = true
                    // What follows in this batch ended for the same reason.
                    ending = ending ?? .credentialRefused
                }
                if let line = report(error, of: outcome, &state) { lines.append(line) }
            }
        }
        handOver()
        for line in lines { say(line) }
        return refusesCredential
    }

    /// How many pushes have their outcome. Needs no lock, because the book may be waiting for the reader of its rows.
    var settledPushes: Int { settled.load(ordering: .relaxed) }

    /// Writes the row of a push, or holds it. The push's number is the line of its record.
    private func settle(_ outcome: BulkResult, _ ending: RunEnding?, _ state: inout State) {
        // A push that could not be sent as it is has no id.
        var id = outcome.apnsID
        switch outcome.result {
        case .success(let response):
            state.attempted += 1
            if response.refusesCredential { state.credentialWasRefused = true }
        case .failure(let error):
            if error.isInvalidInput { id = nil } else { state.attempted += 1 }
            if error.code == .credentialRefused { state.credentialWasRefused = true }
        }
        var row = OutcomeRow(
            line: outcome.index, token: outcome.deviceToken?.hex ?? "", apnsID: id, outcome.result,
            attempts: outcome.attempts,
            ending: ending)
        if !state.givenIDs.isEmpty { row.givenID = state.givenIDs.removeValue(forKey: outcome.index) }
        if outcome.isFinal { return write(&row, &state) }
        state.held[outcome.index] = row
    }

    /// The line to print about a push that could never be sent.
    private func report(_ error: PushError, of outcome: BulkResult, _ state: inout State) -> String? {
        guard error.isInvalidInput else { return nil }
        let reason = error.reason
        return state.problems.report(line: outcome.index, error.description, reason: reason)
    }

    // MARK: Rows

    /// Hands rows over outside of the lock, because their receiver may block.
    private func handOver() {
        guard let onRows else { return }
        let rows = state.withLock { state in
            defer { state.rows = [] }
            return state.rows
        }
        if !rows.isEmpty { onRows(rows) }
    }

    /// Tells the journal what is about to be pushed, after all that has happened before.
    ///
    /// - Returns: Whether it may be pushed.
    func begin(_ intents: [Intent]) -> Bool { state.withLock { commit(intents, &$0) } }

    /// Writes the buffered rows.
    func flush() { state.withLock { _ = commit([], &$0) } }

    /// Writes the held rows and the rest of the buffer, and closes the files. Call it once, at the end.
    ///
    /// - Parameters:
    ///   - unoffered: How many pushes of the latest intents were not offered.
    ///   - records: How many records the input has, if its end was reached.
    func finish(unoffered: Int = 0, records: Int? = nil) -> String? {
        defer { handOver() }
        return state.withLock { state in
            for var row in state.held.values.sorted(by: { $0.line < $1.line }) { write(&row, &state) }
            state.held = [:]
            if commit([], &state) { state.files?.journal?.finish(unoffered: unoffered, records: records) }
            state.end = Self.standing(state)
            state.files = nil
            return state.problems.remainder
        }
    }

    var standing: Standing {
        state.withLock { $0.end ?? Self.standing($0) }
    }

    private static func standing(_ state: State) -> Standing {
        var standing = Standing(
            tally: state.tally, held: state.held.count, attempted: state.attempted,
            credentialWasRefused: state.credentialWasRefused)
        guard let files = state.files else { return standing }
        standing.failure = files.writer.failure ?? files.unregistered?.failure ?? files.journal?.failure
        standing.lostRows = files.writer.loss
        standing.rowsWereLost = files.writer.failure != nil || files.unregistered?.failure != nil
        return standing
    }

    private func write(_ row: inout OutcomeRow, _ state: inout State) {
        guard let files = state.files else { return }
        files.journal?.collect(&row)
        state.tally.count(row)
        if onRows != nil { state.rows.append(row) }
        do throws(CommandError) {
            try files.writer.append(row)
            if row.outcome.status == 410 { try files.unregistered?.append(token: row.token, timestamp: row.timestamp) }
        } catch { onWriteFailure(.outputLost) }
        if files.journal?.needsCommit == true { _ = commit([], &state) }
    }

    /// Writes the buffered rows, and then tells the journal: what it calls an outcome has its row.
    private func commit(_ intents: [Intent], _ state: inout State) -> Bool {
        guard let files = state.files else { return false }
        do throws(CommandError) {
            if files.journal?.isDurable == true { try files.writer.flushToDisk() } else { try files.writer.flush() }
            try files.unregistered?.flush()
        } catch { onWriteFailure(.outputLost) }
        guard files.writer.failure == nil else { return false }
        guard let journal = files.journal, journal.failure == nil else { return files.journal == nil }
        do throws(CommandError) {
            try journal.commit(intents, outcomesSize: files.writer.size)
            return true
        } catch {
            onWriteFailure(.journalLost)
            return false
        }
    }
}
