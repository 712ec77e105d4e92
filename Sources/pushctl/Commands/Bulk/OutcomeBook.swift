import Locking
import SupervisedPush

/// Turns outcomes into rows, one a record: held where a late answer may come, counted, written in batches.
final class OutcomeBook: Sendable {
    /// What it has come to.
    struct Standing: Sendable {
        var tally = Tally()
        /// Rows that wait for a late answer.
        var held = 0
        /// Pushes handed to the library that could be sent as they are.
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
        var ending: RunEnding?
    }

    /// The writer cannot be copied, so that it lives in a box.
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

    /// A record that is not pushed.
    func notPushed(_ record: InputRecord, _ reason: String) {
        let line = state.withLock { state in
            write(.notPushed(record, reason), &state)
            return state.problems.report(record)
        }
        if let line { say(line) }
    }

    /// The push of a flight was called. Its outcome may have been there first.
    func departed(_ flight: Flight, _ handle: PushHandle) {
        state.withLock { state in
            state.attempted += 1
            flight.handle = handle
            if let outcome = flight.outcome { settle(flight, handle, outcome, &state) }
        }
    }

    /// The push of a flight has ended.
    func settled(_ flight: Flight, _ outcome: Result<PushResponse, PushError>) {
        let line = state.withLock { state -> String? in
            if let handle = flight.handle { settle(flight, handle, outcome, &state) } else { flight.outcome = outcome }
            guard case .failure(let error) = outcome, error.isInvalidInput else { return nil }
            state.attempted -= 1
            return state.problems.report(InputRecord(line: flight.line, problem: error.description))
        }
        if let line { say(line) }
    }

    /// What became of a push that had timed out.
    func late(_ response: LateResponse) {
        guard let flight = response.context as? Flight else { return }
        state.withLock { state in
            switch flight.stage {
            case .underWay: flight.late = response.outcome
            case .held:
                flight.stage = .done
                if let row = state.held.take(response.pushID) { write(row.completed(response.outcome), &state) }
            case .done: break
            }
        }
    }

    /// The connection is about to be closed before the work is done: what it means for the pushes that end by it.
    func note(_ ending: RunEnding) { state.withLock { $0.ending = $0.ending ?? ending } }

    private func settle(
        _ flight: Flight, _ handle: PushHandle, _ outcome: Result<PushResponse, PushError>, _ state: inout State
    ) {
        flight.stage = .done
        // The push keeps the flight as its context, and so does what came of it: kept here, they would close a circle.
        let late = flight.late
        (flight.handle, flight.outcome, flight.late) = (nil, nil, nil)
        switch outcome {
        case .success(let response):
            if response.refusesCredential { state.credentialWasRefused = true }
            write(OutcomeRow(line: flight.line, token: flight.token, handle, response), &state)
        case .failure(let error):
            if error.code == .credentialRefused { state.credentialWasRefused = true }
            let row = OutcomeRow(line: flight.line, token: flight.token, handle, error, state.ending)
            guard error.awaitsLateAnswer else { return write(row, &state) }
            if let late { return write(row.completed(late), &state) }
            flight.stage = .held
            if let oldest = state.held.hold(handle.id, row) { write(oldest, &state) }
        }
    }

    // MARK: Rows

    /// Writes what waits in the buffer.
    func flush() {
        state.withLock { state in
            do { try state.file.writer.flush() } catch { onWriteFailure() }
        }
    }

    /// Writes the rows that are still held, and the rest of the buffer: nothing comes any more.
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
                tally: state.tally, held: state.held.count, attempted: state.attempted,
                credentialWasRefused: state.credentialWasRefused, failure: state.file.writer.failure)
        }
    }

    private func write(_ row: OutcomeRow, _ state: inout State) {
        state.tally.count(row)
        do { try state.file.writer.append(row) } catch { onWriteFailure() }
    }
}

extension PushResponse {
    /// Whether APNs refused the credential and not the push.
    var refusesCredential: Bool { status == 403 && (advice == .fixCredential || advice == .renewToken) }
}
