/// Pushes that wait at one connection of a pool and go out over another.
///
/// A push that moves becomes another record: whatever this intake's lock guards of the old one stays here, and leads who
/// still holds it – a handle, a task that is cancelled – to the new one.
extension Intake {
    /// A push on its way to another connection.
    struct Move {
        let push: PassedOnPush
        let entry: ConnectionEntry
        /// Its caller waits for room.
        let isParked: Bool
    }

    /// Gives pushes away that the process has taken out of its machine, or that never had a place here.
    ///
    /// - Parameter choose: who goes on with a push. Called under the lock: it only compares numbers.
    /// - Returns: the moves to be made, and the pushes whose caller cancelled them meanwhile, for the caller to answer.
    func giveAway(
        _ pushes: [PassedOnPush], to choose: (PushRecord) -> ConnectionEntry
    ) -> (moves: [Move], cancelled: [PassedOnPush]) {
        change { state in
            var moves: [Move] = []
            var cancelled: [PassedOnPush] = []
            moves.reserveCapacity(pushes.count)
            for push in pushes {
                let record = push.record
                guard !record.isCancelled, record.admission != .withdrawn else {
                    state.end(push)
                    cancelled.append(push)
                    continue
                }
                let isParked = record.admission == .parked
                let entry = choose(record)
                let copy = PushRecord(continuing: record)
                state.release(record)
                record.admission = .moved
                record.successor = PushRecord.Successor(record: copy, entry: entry)
                moves.append(Move(push: PassedOnPush(copy, continuing: push), entry: entry, isParked: isParked))
            }
            return (moves, cancelled)
        }
    }

    /// Takes pushes in that another connection gave away, whether or not there is room: all together they are no more than
    /// they were.
    ///
    /// - Returns: those that were cancelled on the way, and those that came too late, because the connection is closed; for the
    ///   caller to answer.
    func adopt(_ moves: [Move]) -> (cancelled: [PassedOnPush], refused: [PassedOnPush]) {
        let (cancelled, refused, process) = change {
            state -> ([PassedOnPush], [PassedOnPush], Address<ConnectionMessage>?) in
            guard !state.isClosed else {
                for move in moves {
                    move.push.record.admission = .released
                    state.end(move.push)
                }
                return ([], moves.map(\.push), nil)
            }
            var cancelled: [PassedOnPush] = []
            for move in moves {
                if move.push.record.admission == .withdrawn {
                    state.end(move.push)
                    cancelled.append(move.push)
                } else {
                    state.adopt(move)
                }
            }
            state.coverBytes()
            guard !state.isNudged else { return (cancelled, [], nil) }
            state.isNudged = true
            return (cancelled, [], state.process)
        }
        process?.send(.pushesWaiting)
        return (cancelled, refused)
    }

    /// Leads a push that was not taken in to another connection; nil if it was cancelled before.
    func handOver(_ record: PushRecord, to entry: ConnectionEntry) -> PushRecord? {
        withState { _ in
            guard record.admission == .notOffered else { return nil }
            let copy = PushRecord(continuing: record)
            record.admission = .moved
            record.successor = PushRecord.Successor(record: copy, entry: entry)
            return copy
        }
    }
}

extension Intake.State {
    fileprivate mutating func adopt(_ move: Intake.Move) {
        let record = move.push.record
        if move.isParked {
            record.admission = .parked
            parked.append(record)
            parkedCount += 1
        } else if move.push.isCounted {
            count(record)
        } else {
            record.admission = .released
        }
        passedOn.append(move.push)
    }
}

extension PassedOnPush {
    /// What another connection goes on with.
    fileprivate init(_ record: PushRecord, continuing push: PassedOnPush) {
        self.init(
            record: record, attempts: push.attempts, worst: push.worst, isCounted: push.isCounted,
            unknownAttempt: push.unknownAttempt)
    }
}
