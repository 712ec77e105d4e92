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
    /// - Parameter choose: who goes on with a push; nil: it stays, for the process to take at its next look. Called under the
    ///   lock: it only compares numbers.
    /// - Returns: the moves to be made, and the pushes whose caller cancelled them meanwhile, for the caller to answer.
    func giveAway(
        _ pushes: [PassedOnPush], to choose: (PushRecord) -> ConnectionEntry?
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
                guard let entry = choose(record) else {
                    state.passedOn.append(push)
                    continue
                }
                state.release(record)
                let copy = record.moved(to: entry)
                moves.append(Move(push: PassedOnPush(copy, continuing: push), entry: entry, isParked: isParked))
            }
            return (moves, cancelled)
        }
    }

    /// What became of pushes that were given away.
    struct Adoption {
        /// Those that were cancelled on the way, and those that came too late; for the caller to answer.
        var cancelled: [PassedOnPush] = []
        var refused: [PassedOnPush] = []
        /// Those that came too late, and that another connection is to have.
        var passedOn: [Move] = []
    }

    /// Takes pushes in that another connection gave away, whether or not there is room: all together they are no more than
    /// they were. One that is closed for callers takes them, too, as long as it has not ended.
    ///
    /// - Parameter other: who has them if this one has ended; nil: then they are refused.
    func adopt(_ moves: [Move], otherwise other: ConnectionEntry?) -> Adoption {
        let (adoption, process) = change { state -> (Adoption, Address<ConnectionMessage>?) in
            var adoption = Adoption()
            for move in moves {
                if move.push.record.admission == .withdrawn {
                    state.end(move.push)
                    adoption.cancelled.append(move.push)
                } else if !state.hasEnded {
                    state.adopt(move)
                } else if let other {
                    adoption.passedOn.append(move.on(to: other))
                } else {
                    move.push.record.admission = .released
                    state.end(move.push)
                    adoption.refused.append(move.push)
                }
            }
            guard !state.hasEnded else { return (adoption, nil) }
            state.coverBytes()
            guard !state.isNudged else { return (adoption, nil) }
            state.isNudged = true
            return (adoption, state.process)
        }
        process?.send(.pushesWaiting)
        return adoption
    }

    /// Leads a push that was not taken in to another connection; nil if it was cancelled before.
    func handOver(_ record: PushRecord, to entry: ConnectionEntry) -> PushRecord? {
        withState { _ in
            guard record.admission == .notOffered else { return nil }
            return record.moved(to: entry)
        }
    }
}

extension Intake.Move {
    /// Called under the lock that guards the record.
    fileprivate func on(to other: ConnectionEntry) -> Self {
        Self(push: PassedOnPush(push.record.moved(to: other), continuing: push), entry: other, isParked: isParked)
    }
}

extension PushRecord {
    /// What the other connection goes on with. Called under the lock that guards this one, which leads to it from now on.
    fileprivate func moved(to entry: ConnectionEntry) -> PushRecord {
        let copy = PushRecord(continuing: self)
        let successor = Successor(record: copy, entry: entry)
        let forwarding = earlierForwarding ?? Forwarding(successor)
        forwarding.lead(to: successor)
        admission = .moved
        self.forwarding = forwarding
        copy.earlierForwarding = forwarding
        return copy
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
