import PushCampaign
import PushLocking
import PushQueue
import PushTerminal
import SupervisedPush

/// The tokens that `queue put --wait` waits for, and the rows of those that have ended.
final class WaitBook: Sendable {
    private struct Lines {
        let lines: [Int]
        var settled = TokenSet()
        var open: Int
    }

    private struct State {
        let writer: Writer
        var entries: [EntryID: Lines] = [:]
        var open = 0
        var tally = Tally()
        var failure: CommandError?
    }

    /// Holds the writer, which cannot be copied.
    private final class Writer: @unchecked Sendable {
        // Sendable: the book uses it under its lock alone.
        var rows: OutcomesWriter
        init(_ rows: consuming OutcomesWriter) { self.rows = rows }
    }

    private let state: Locked<State>

    init(_ writer: consuming OutcomesWriter) { state = Locked(State(writer: Writer(writer))) }

    /// How many tokens have no outcome yet.
    var open: Int { state.withLock { $0.open } }

    /// The first line of which the token has no outcome yet.
    var firstOpenLine: Int? {
        state.withLock { state in
            let firsts = state.entries.values.compactMap { lines in
                lines.lines.indices.first { !lines.settled.contains($0) }.map { lines.lines[$0] }
            }
            return firsts.min()
        }
    }

    var tally: Tally { state.withLock { $0.tally } }

    /// Why rows are missing, if they are.
    var failure: CommandError? { state.withLock { $0.failure } }

    /// What became of the rows; nil unless some are missing.
    var loss: OutcomesWriter.Loss? { state.withLock { $0.writer.rows.loss } }

    /// Waits for the tokens of an entry, which are at these lines. Call it before the entry is in the queue.
    func expect(_ entry: EntryID, _ lines: [Int]) {
        state.withLock { state in
            state.entries[entry] = Lines(lines: lines, open: lines.count)
            state.open += lines.count
        }
    }

    /// The entry is not in the queue.
    func forget(_ entry: EntryID) {
        state.withLock { state in
            if let lines = state.entries.removeValue(forKey: entry) { state.open -= lines.open }
        }
    }

    /// Writes the row of a record that is not put.
    func write(_ row: OutcomeRow) { state.withLock { Self.write(row, &$0) } }

    /// Writes the rows of those outcomes that it waits for, each once. Returns how many there are.
    func settle(_ outcomes: [QueueOutcome]) -> Int {
        state.withLock { state in
            let open = state.open
            for outcome in outcomes { Self.settle(outcome, &state) }
            do throws(CommandError) { try state.writer.rows.flush() } catch { state.failure = error }
            return open - state.open
        }
    }

    /// Writes a row for each token that will get no outcome. Returns how many there are.
    func abandon() -> Int {
        state.withLock { state in
            let count = state.open
            for lines in state.entries.values {
                for (index, line) in lines.lines.enumerated() where !lines.settled.contains(index) {
                    Self.write(
                        OutcomeRow(line: line, PushOutcome(.unknown, reason: "no_outcome")), &state)
                }
            }
            state.entries = [:]
            state.open = 0
            do throws(CommandError) { try state.writer.rows.flush() } catch { state.failure = error }
            return count
        }
    }

    private static func settle(_ outcome: QueueOutcome, _ state: inout State) {
        guard var lines = state.entries[outcome.entry], lines.lines.indices.contains(outcome.index),
            !lines.settled.contains(outcome.index)
        else { return }
        lines.settled.insert(outcome.index)
        lines.open -= 1
        state.open -= 1
        state.entries[outcome.entry] = lines.open > 0 ? lines : nil
        write(OutcomeRow(line: lines.lines[outcome.index], outcome), &state)
    }

    private static func write(_ row: OutcomeRow, _ state: inout State) {
        state.tally.count(row)
        do throws(CommandError) { try state.writer.rows.append(row) } catch { state.failure = error }
    }
}
