import PushLocking
import SupervisedPush

/// Turns outcomes into rows, one per record. Rows are held while a late answer may arrive, counted, and written in
/// batches.
final class OutcomeBook: Sendable {
    /// The present totals.
    struct Standing: Sendable {
        var tally = Tally()
        /// Pushes that could be sent as they are.
        var attempted = 0
        var credentialWasRefused = false
        var failure: CommandError?
    }

    private struct State {
        let file: RowFile
        var tally = Tally()
        var held = HeldRows<PushID>()
        var problems: LineProblems
        var attempted = 0
        var credentialWasRefused = false
    }

    /// The writer cannot be copied, so it is stored in a class.
    private final class RowFile {
        var writer: OutcomesWriter
        init(_ writer: consuming OutcomesWriter) { self.writer = writer }
    }

    private let state: Locked<State>
    private let say: @Sendable (String) -> Void
    private let onWriteFailure: @Sendable () -> Void

    init(
        _ writer: consuming sending OutcomesWriter, inputName: String, say: @escaping @Sendable (String) -> Void,
        onWriteFailure: @escaping @Sendable () -> Void
    ) {
        state = Locked(State(file: RowFile(writer), problems: LineProblems(inputName: inputName)))
        self.say = say
        self.onWriteFailure = onWriteFailure
    }

    // MARK: Outcomes

    /// Adds a record that is not pushed.
    func notPushed(_ record: InputRecord, _ reason: String) {
        let line = state.withLock { state in
            write(.notPushed(record, reason), &state)
            return state.problems.report(record)
        }
        if let line { say(line) }
    }

    /// A push has ended. `ending` is the reason why the run ends, if it does.
    func settled(_ outcome: BulkOutcome, _ ending: RunEnding?) {
        guard let flight = outcome.push.context as? Flight else { return }
        let line = state.withLock { state -> String? in
            settle(flight, outcome, ending, &state)
            guard case .failure(let error) = outcome.result, error.isInvalidInput else {
                state.attempted += 1
                return nil
            }
            return state.problems.report(InputRecord(line: flight.line, problem: error.description))
        }
        if let line { say(line) }
    }

    /// What happened to a push that had timed out. It may arrive before the outcome that reports the timeout.
    func late(_ response: LateResponse) {
        guard let flight = response.context as? Flight else { return }
        state.withLock { state in
            switch flight.stage {
            case .underWay: flight.stage = .ended(response.outcome)
            case .held:
                flight.stage = .done
                if let row = state.held.take(response.pushID) { write(row.completed(response.outcome), &state) }
            case .ended, .done: break
            }
        }
    }

    private func settle(_ flight: Flight, _ outcome: BulkOutcome, _ ending: RunEnding?, _ state: inout State) {
        let row = OutcomeRow(flight, outcome, ending)
        let stage = flight.stage
        flight.stage = .done
        switch outcome.result {
        case .success(let response): if response.refusesCredential { state.credentialWasRefused = true }
        case .failure(let error):
            if error.code == .credentialRefused { state.credentialWasRefused = true }
            guard error.awaitsLateAnswer else { break }
            if case .ended(let late) = stage { return write(row.completed(late), &state) }
            flight.stage = .held
            if let oldest = state.held.hold(outcome.pushID, row) { write(oldest, &state) }
            return
        }
        write(row, &state)
    }

    // MARK: Rows

    /// Writes the buffered rows.
    func flush() {
        state.withLock { state in
            do { try state.file.writer.flush() } catch { onWriteFailure() }
        }
    }

    /// Writes the held rows and the rest of the buffer. Call it at the end.
    func finish() -> String? {
        state.withLock { state in
            for row in state.held.takeAll() { write(row, &state) }
            try? state.file.writer.flush()
            return state.problems.remainder
        }
    }

    var standing: Standing {
        state.withLock { state in
            Standing(
                tally: state.tally, attempted: state.attempted, credentialWasRefused: state.credentialWasRefused,
                failure: state.file.writer.failure)
        }
    }

    private func write(_ row: OutcomeRow, _ state: inout State) {
        state.tally.count(row)
        do { try state.file.writer.append(row) } catch { onWriteFailure() }
    }
}

/// The record of a push; it is the push's context.
final class Flight: @unchecked Sendable {
    // Sendable: `line` and `token` never change; `stage` is accessed only under the book's lock.

    enum Stage {
        case underWay
        /// Its late end arrived before its outcome.
        case ended(LateResponse.Outcome)
        /// Timed out: its row waits for a late answer.
        case held
        case done
    }

    let line: Int
    let token: String
    fileprivate var stage = Stage.underWay

    init(line: Int, token: String) {
        self.line = line
        self.token = token
    }
}

extension OutcomeRow {
    fileprivate init(_ flight: Flight, _ outcome: BulkOutcome, _ ending: RunEnding?) {
        switch outcome.result {
        case .success(let response):
            self.init(line: flight.line, token: flight.token, outcome.apnsID, response, attempts: outcome.attempts)
        case .failure(let error):
            // A push that could not be sent as it is has no id.
            let id = error.isInvalidInput ? nil : outcome.apnsID
            self.init(line: flight.line, token: flight.token, id, error, attempts: outcome.attempts, ending)
        }
    }
}

extension PushResponse {
    /// Whether APNs refused the credential instead of the push.
    var refusesCredential: Bool { status == 403 && (advice == .fixCredential || advice == .renewToken) }
}
